import { DIALECTS } from '../../src/dialects/dialects.ts'
import type { ProposedHook } from '../../src/shared/gate/catalogue.ts'
import { createSources, shellHooksFile } from '../../src/proposals/sources/sources.ts'
import type { ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'

const claudeForm = (
  event: string,
  { matcher = null, ...options }: JsonObject,
): Readonly<Record<string, string>> => ({
  written: JSON.stringify({
    hooks: {
      [event]: [
        {
          ...(matcher === null ? {} : { matcher }),
          hooks: [{ type: 'command', command: './hook.sh', ...options }],
        },
      ],
    },
  }),
})

const tomlForm = (event: string, options: JsonObject): Readonly<Record<string, string>> => ({
  written: [
    '[[hooks]]',
    ...Object.entries({ event, command: './hook.sh', ...options }).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}`,
    ),
  ].join('\n'),
})

/** A file of each system with one hook in it. `written`: the hook's options in that system's own words. */
const files: Readonly<
  Record<ForeignDialect, (event: string, written: JsonObject) => Readonly<Record<string, string>>>
> = {
  'docker-agent': (event, { matcher = null, ...options }) => ({
    written: JSON.stringify({
      agents: {
        root: {
          hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command: './hook.sh', ...options }] }] },
        },
      },
    }),
  }),
  'claude-code': claudeForm,
  'agent-hooks': (event, options) => {
    const front = Object.entries({ name: 'guard', description: 'A guard.', trigger: event, ...options }).map(
      ([key, value]) => `${key}: ${JSON.stringify(value)}`,
    )
    return {
      'written/guard/HOOK.md': `---\n${front.join('\n')}\n---\nA guard.\n`,
      'written/guard/scripts/run.sh': '#!/bin/sh\n',
    }
  },
  ...(Object.fromEntries(
    (['codex', 'gemini', 'factory'] as const).map((name) => [name, claudeForm]),
  ) as Record<'codex' | 'gemini' | 'factory', typeof claudeForm>),
  cursor: (event, options) => ({
    written: JSON.stringify({ version: 1, hooks: { [event]: [{ command: './hook.sh', ...options }] } }),
  }),
  kimi: tomlForm,
  'kimi-cli': tomlForm,
  // It has no file of its own, so its hooks stand in ours.
  'responsibleai-agent-hooks': (event, options) => ({
    [shellHooksFile]: JSON.stringify({
      hooks: [{ event, dialect: 'responsibleai-agent-hooks', command: './hook.sh', ...options }],
    }),
  }),
  copilot: (event, options) => ({
    'written/hooks.json': JSON.stringify({
      version: 1,
      hooks: { [event]: [{ type: 'command', bash: './hook.sh', ...options }] },
    }),
  }),
}

/** What is under a folder, one level deep. */
const namesIn = (folder: string, paths: readonly string[]): readonly string[] => {
  const below = paths
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
  return [...new Set(below.map((path) => path.replace(/\/.*/, '/')))].toSorted()
}

/** The one hook of such a file, as it is proposed here. */
export const proposedBy = (dialect: ForeignDialect, event: string, written: JsonObject): ProposedHook => {
  const texts: Readonly<Record<string, string>> = {
    [shellHooksFile]: JSON.stringify({ hooks: [], sources: [{ [dialect]: 'written' }] }),
    ...files[dialect](event, written),
  }
  const textOf = (place: string): string | undefined => texts[place.replace(/^\.\//, '')]
  const { proposed, problem } = createSources({
    dialects: DIALECTS,
    userHooks: '/nowhere',
    person: '/nowhere',
    stamp: () => '',
    isExecutable: (file) => textOf(file) !== undefined,
    read: (file) => {
      const text = textOf(file)
      return text === undefined ? { why: 'missing' } : { text }
    },
    list: (folder) => {
      const names = namesIn(folder.replace(/^\.\/|\/$/g, ''), Object.keys(texts))
      return names.length === 0 ? { why: 'missing' } : { names }
    },
  }).get()
  const [hook] = proposed
  if (hook === undefined || proposed.length > 1)
    throw new Error(`Expected one hook, got ${proposed.length}: ${problem?.message ?? 'no problem was told'}`)
  return hook
}
