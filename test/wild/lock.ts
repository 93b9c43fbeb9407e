import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { EVENT_NAMES } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'

/** The form of wild.lock.yaml: which hooks of which repositories are run, and what each answers at home. */

/** The systems whose hooks are tried, each with the name that its source has in config/shell_hooks.yaml. */
export const SYSTEMS = {
  'claude-code': { title: 'Claude Code', source: 'claude-code' },
  'claude-plugin': { title: 'Claude Code plugins', source: 'claude-plugin' },
  codex: { title: 'Codex', source: 'codex' },
  gemini: { title: 'Gemini CLI', source: 'gemini' },
  cursor: { title: 'Cursor', source: 'cursor' },
  kimi: { title: 'Kimi', source: 'kimi' },
  copilot: { title: 'GitHub Copilot', source: 'copilot' },
  'copilot-vscode': { title: 'Copilot in VS Code', source: 'copilot' },
  'docker-agent': { title: 'docker-agent', source: 'docker-agent' },
  'agent-hooks': { title: 'Agent Hooks (HOOK.md)', source: 'agent-hooks' },
  factory: { title: 'Factory', source: 'factory' },
} as const
export type System = keyof typeof SYSTEMS

/**
 * What a hook comes to: `observes` is `allow` where there is nothing to refuse, `fault` is a run that ends
 * with no answer.
 */
const OUTCOMES = ['block', 'allow', 'ask', 'rewrite', 'context', 'observes', 'fault', 'cannot run'] as const
export type Outcome = (typeof OUTCOMES)[number]

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json())

export const wildCase = z.strictObject({
  /** The event as its file spells it, and a part of the command that no other hook of that event has. */
  hook: z.string().regex(/^\S+( .+)?$/),
  /** Which of them, from 0, where several hooks of that event have the same command. */
  nth: z.int().default(0),
  event: z.enum(EVENT_NAMES),
  tool: z.string().optional(),
  input: json.optional(),
  /** Further fields of our event. */
  fields: json.optional(),
  /** Shell text of our own that is run in the workspace before, both at home and here. */
  before: z.string().optional(),
  expect: z.enum(OUTCOMES),
  /** Where the expectation comes from when the hook is not run at home: what its documentation says. */
  doc: z.string().optional(),
  /** What the model of gate.yaml answers a hook that asks it. It is a server of our own. */
  model: z.string().optional(),
  /** A file under the workspace that the hook writes. */
  leaves: z.string().optional(),
  /** What comes of it here where that differs, and what its row says of it before it is approved. */
  differs: z.strictObject({ here: z.enum(OUTCOMES), says: z.string() }).optional(),
})

export const wildSet = z.strictObject({
  system: z.enum(Object.keys(SYSTEMS) as [System, ...System[]]),
  /** The name that its source has here, where the system's files are read under another one. */
  source: z.string().optional(),
  /** What `sources:` names, relative to the workspace. */
  config: z.string(),
  /** From the repository to the workspace; `~/…` is the person's home. */
  place: z.record(z.string(), z.string()),
  /** Shell text of our own that is run in the workspace once: what the authors tell their users to do. */
  install: z.string().optional(),
  cases: z.array(wildCase).min(1),
})

const wildLock = z.strictObject({
  repositories: z.record(
    z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    z.strictObject({ commit: z.string().regex(/^[0-9a-f]{40}$/), sets: z.array(wildSet).min(1) }),
  ),
})

export type WildCase = z.infer<typeof wildCase>
export type WildSet = z.infer<typeof wildSet>
export type WildLock = z.infer<typeof wildLock>

export const readLock = (): WildLock =>
  wildLock.parse(parse(readFileSync(join(import.meta.dirname, 'wild.lock.yaml'), 'utf8')))
