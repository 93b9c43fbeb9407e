import { describe, expect, test } from 'vitest'
import type { ClientName } from '../../src/shared/gate/client.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { heardBy } from './client-rules.ts'

const specific = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' }
const claudes: JsonObject = { hookSpecificOutput: specific }
const { hookEventName: _, ...nameless } = specific

/** What real clients did with an answer before a tool, as it was observed: true, the tool ran. */
const matrix: readonly (readonly [
  what: string,
  answer: JsonObject,
  ran: Readonly<Partial<Record<ClientName | 'Copilot, PascalCase', boolean>>>,
])[] = [
  [
    "Claude Code's deny",
    claudes,
    {
      'claude-code': false,
      codex: false,
      copilot: true,
      'Copilot, PascalCase': false,
      gemini: true,
      kimi: false,
    },
  ],
  ["Copilot's deny", { permissionDecision: 'deny' }, { copilot: false, 'Copilot, PascalCase': false }],
  ["Gemini CLI's deny", { decision: 'deny', reason: 'no' }, { gemini: false }],
  [
    'a deny with an unknown key',
    { ...claudes, suppressOutput: true, brandNew: 1 },
    { 'claude-code': false, codex: true },
  ],
  [
    "a deny without the event's name",
    { hookSpecificOutput: nameless },
    { 'claude-code': true, codex: true, copilot: true, gemini: true, kimi: false },
  ],
  [
    'a block of the old kind',
    { decision: 'block', reason: 'no' },
    { 'claude-code': false, codex: false, copilot: true, gemini: false },
  ],
  ['a question', { hookSpecificOutput: { ...specific, permissionDecision: 'ask' } }, { codex: true }],
  [
    'a bare allow is no refusal',
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } },
    { codex: true },
  ],
  [
    'only the end of the turn',
    { continue: false, stopReason: 'no' },
    { 'claude-code': true, codex: true, copilot: true, gemini: false },
  ],
]

const eventOf: Readonly<Partial<Record<string, string>>> = { copilot: 'preToolUse', gemini: 'BeforeTool' }

describe('the rules that stand for the real clients', () => {
  test.each(matrix)('%s does what it was seen to do', (_what, answer, ran) => {
    for (const [name, isRun] of Object.entries(ran)) {
      const client = name === 'Copilot, PascalCase' ? 'copilot' : (name as ClientName)
      expect(
        heardBy(client, name === client ? (eventOf[client] ?? 'PreToolUse') : 'PreToolUse', answer)
          .refused === undefined,
        name,
      ).toBe(isRun)
    }
  })
})
