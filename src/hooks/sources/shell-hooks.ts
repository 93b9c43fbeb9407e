import { isObject, type Json } from '../../model/base/json.ts'
import { nearest } from '../../model/base/nearest.ts'
import { got, type Problem } from '../../model/gate/problem.ts'
import { matcherRemarks, type EventPorts } from '../entry/entry-check.ts'
import { readEntry } from '../entry/entry.ts'
import type { ProposedHook } from '../../model/hooks/entry.ts'
import type { Source } from './source.ts'
import { isSystem, SYSTEM_NAMES, type System } from './systems.ts'
import { mendFile, readYaml, type DocumentPath } from './yaml.ts'

/** An agent can write this file, and the gate does nothing else while it reads it: about a second for the worst of this size. */
const maxChars = 128 * 1024
export const maxHooks = 1000
export const maxSources = 20
export const maxPlaceChars = 1000
/** Options beside those that there are, listed as invalid. */
const maxStrangers = 5

/** Another system's file or folder that is to be read as it is. */
export interface ForeignSource {
  readonly system: System
  /** As the file spells it: relative to the workspace, absolute, or behind `~/`. */
  readonly place: string
}

export interface ShellHooks extends Source {
  /** Absent where there are none. */
  readonly sources?: readonly ForeignSource[]
}

const string = (value: Json | undefined, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise

interface Wrong {
  readonly event: string
  readonly command: string
  readonly message: string
  readonly fix: string
}

const sourcesFix = `Write "- <system>: <place>"; the systems are ${SYSTEM_NAMES.join(', ')}.`

/** Systems that have hooks, and none that could run here: what people may write, and why it is not read. */
const unsupported: Readonly<Record<string, string>> = {
  windsurf: 'Windsurf tells its hooks of other moments in a form of its own, which hookgate does not write',
  kiro: "Kiro's hooks are requests to its own agent, or commands of a form that hookgate does not write",
  openclaw: "OpenClaw's hooks are TypeScript that runs inside its own program",
}

const notSupported = (system: string, why: string, place: string): Wrong => ({
  event: system,
  command: place,
  message: `Expected a system whose hooks can be read, got ${system}: ${why}.`,
  fix: 'Write the hook anew under "hooks:", or run its script there with a small one of your own that speaks its form.',
})

/** A file of such a system under another one's name, by where it lies. */
const strayOf = (place: string): string | undefined =>
  /(?:^|\/)\.windsurf\/|\/windsurf\/hooks\.json$|\.codeium\//.test(place)
    ? 'windsurf'
    : /(?:^|\/)\.kiro\//.test(place)
      ? 'kiro'
      : undefined

/** One item of "sources". */
const readSource = (raw: Json, where: string): ForeignSource | Wrong => {
  const [pair, ...more] = isObject(raw) ? Object.entries(raw) : []
  if (pair === undefined || more.length > 0) {
    return {
      event: where,
      command: '(no place)',
      message: `Expected "${where}" to be one system and its place, got ${got(raw)}.`,
      fix: sourcesFix,
    }
  }
  const [key, place] = pair
  const name = key.slice(0, 60)
  const command = string(place, '(no place)')
  const stray = typeof place === 'string' ? strayOf(place) : undefined
  const known = Object.hasOwn(unsupported, key) ? key : stray
  if (known !== undefined) return notSupported(known, unsupported[known] ?? '', command)
  if (!isSystem(key)) {
    const meant = nearest(name, SYSTEM_NAMES)
    return {
      event: name,
      command,
      message: `Expected "${where}" to name a system whose hooks can be read, got ${got(name)}.`,
      fix: meant === undefined ? sourcesFix : `Did you mean "${meant}"?`,
    }
  }
  if (
    typeof place !== 'string' ||
    place.trim() === '' ||
    place.length > maxPlaceChars ||
    place.includes('\0')
  ) {
    return {
      event: key,
      command,
      message: `Expected "${where}.${key}" to be a path of at most ${maxPlaceChars} characters, got ${got(place)}.`,
      fix: 'Write it relative to the workspace, or in full.',
    }
  }
  if (/^~[^/]/.test(place)) {
    const message = `Expected "${where}.${key}" to be a path from the workspace, from your home or in full, got ${got(place)}.`
    return {
      event: key,
      command,
      message,
      fix: 'Only "~/" is known, the home of whoever started hookgate; write another home out.',
    }
  }
  return { system: key, place }
}

const readSources = (
  raw: Json,
): readonly { readonly path: DocumentPath; readonly read: ForeignSource | Wrong }[] => {
  if (raw === null) return []
  if (!Array.isArray(raw))
    return [
      {
        path: ['sources'],
        read: {
          event: 'sources',
          command: '(no place)',
          message: `Expected "sources" to be a list, got ${got(raw)}.`,
          fix: sourcesFix,
        },
      },
    ]
  const rest = raw.length - maxSources
  return [
    ...raw
      .slice(0, maxSources)
      .map((one: Json, index) => ({ path: ['sources', index], read: readSource(one, `sources[${index}]`) })),
    ...(rest > 0
      ? [
          {
            path: ['sources', maxSources],
            read: {
              event: 'sources',
              command: `(${rest} more)`,
              message: `Expected at most ${maxSources} sources, got ${raw.length}; the last ${rest} are not read.`,
              fix: 'Remove some.',
            },
          },
        ]
      : []),
  ]
}

/** Reads `shell_hooks.yaml`. An invalid entry never hides the good ones. `file` is its name for people. */
export const readShellHooks = (text: string, file: string, ports: EventPorts): ShellHooks => {
  const document = readYaml(text, { file, maxChars })
  if ('problem' in document) return { proposed: [], problem: document.problem }
  const { root, lineOf } = document
  if (root === null) return { proposed: [] }
  const hooks = isObject(root) ? (root['hooks'] ?? []) : undefined
  const broken = (message: string, rest: Partial<Problem> = {}): Source => ({
    proposed: [],
    problem: { code: 'yaml.hooks', file, message, fix: mendFile, ...rest },
  })
  if (!isObject(root) || !Array.isArray(hooks)) {
    return broken(`Expected "hooks" to be a list of hooks, got ${got(hooks ?? root)}.`, {
      line: 1,
      fix: 'Write "hooks:" and under it one "- event: …" for each hook.',
    })
  }
  if (hooks.length > maxHooks) return broken(`Expected at most ${maxHooks} hooks, got ${hooks.length}.`)

  const invalid = (path: DocumentPath, event: string, command: string, problem: Problem): ProposedHook => {
    const line = lineOf(path)
    return {
      kind: 'invalid',
      event,
      command,
      problem: { ...problem, file, ...(line === undefined ? {} : { line }) },
    }
  }
  const known = ['hooks', 'sources']
  const strangers = Object.keys(root)
    .filter((key) => !known.includes(key))
    .slice(0, maxStrangers)
  const places = readSources(root['sources'] ?? null)
  const sources = places.flatMap(({ read }) => ('place' in read ? [read] : []))
  return {
    proposed: [
      ...hooks.map((raw: Json, index): ProposedHook => {
        const read = readEntry(raw, `hooks[${index}]`, file, ports)
        if ('entry' in read) {
          const remarks = matcherRemarks(read.entry)
          return { kind: 'entry', entry: read.entry, ...(remarks.length === 0 ? {} : { remarks }) }
        }
        const said = isObject(raw) ? raw : {}
        const subject =
          ['command', 'url', 'prompt'].find((option) => typeof said[option] === 'string') ?? 'command'
        return invalid(
          ['hooks', index, ...read.path],
          string(said['event'], `hooks[${index}]`),
          string(said[subject], '(no command)'),
          read.problem,
        )
      }),
      ...places.flatMap(({ path, read }): readonly ProposedHook[] =>
        'place' in read
          ? []
          : [
              invalid(path, read.event, read.command, {
                code: 'yaml.sources',
                message: read.message,
                fix: read.fix,
              }),
            ],
      ),
      ...strangers.map((key): ProposedHook => {
        const meant = nearest(key.slice(0, 40), known)
        return invalid([key], key.slice(0, 60), '(no command)', {
          code: 'yaml.unknown',
          message: `Expected "hooks" and "sources" and nothing beside them, got "${key.slice(0, 60)}".`,
          fix: meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`,
        })
      }),
    ],
    ...(sources.length === 0 ? {} : { sources }),
  }
}
