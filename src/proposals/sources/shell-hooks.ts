import { isObject, type Json } from '../../core/model/base/json.ts'
import { got, type Problem } from '../../core/model/gate/problem.ts'
import { matcherRemarks, nearestFix, type EventPorts } from '../entry/entry-check.ts'
import { builtinRemarks } from '../../handlers/builtins/builtins.ts'
import { readEntry } from '../entry/entry.ts'
import type { ProposedHook } from '../../shared/gate/catalogue.ts'
import type { Source } from './source.ts'
import { isSystem, SYSTEM_NAMES, type System } from './systems.ts'
import { correctFileFix, readYaml, type DocumentPath } from './yaml.ts'

/**
 * An agent can write this file, and the gate does nothing else while it reads it. The worst file of this size
 * takes about a second.
 */
const maxChars = 128 * 1024
export const maxHooks = 1000
export const maxSources = 20
export const maxPlaceChars = 1000
/** The most unknown top-level options that are listed as invalid. */
const maxUnknownOptions = 5

/** A file or folder of another system whose hooks are read in their own form. */
export interface ForeignSource {
  readonly system: System
  /** The path as the file spells it: relative to the workspace, absolute, or starting with `~/`. */
  readonly place: string
}

export interface ShellHooks extends Source {
  /** Absent when the file lists no sources. */
  readonly sources?: readonly ForeignSource[]
}

const string = (value: Json | undefined, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise

interface SourceFlaw {
  readonly event: string
  readonly command: string
  readonly message: string
  readonly fix: string
}

const sourcesFix = `Write "- <system>: <path>". The systems are ${SYSTEM_NAMES.join(', ')}.`

/** Systems whose hooks cannot run here, each with the reason. */
const unsupported: Readonly<Record<string, string>> = {
  windsurf: "Windsurf's hooks have events and a payload form of their own, which hookgate does not support",
  kiro: "Kiro's hooks are requests to its own agent, or commands with a payload form that hookgate does not support",
  openclaw: "OpenClaw's hooks are TypeScript modules that run inside its own program",
}

/** Recognises a file of such a system by its path, when it is listed under the name of another one. */
const unsupportedSystemOf = (place: string): string | undefined =>
  /(?:^|\/)\.windsurf\/|\/windsurf\/hooks\.json$|\.codeium\//.test(place)
    ? 'windsurf'
    : /(?:^|\/)\.kiro\//.test(place)
      ? 'kiro'
      : undefined

/** Reads one item of "sources". */
const readSource = (raw: Json, where: string): ForeignSource | SourceFlaw => {
  const [pair, ...more] = isObject(raw) ? Object.entries(raw) : []
  const isPair = pair !== undefined && more.length === 0
  const [key, place = null] = isPair ? pair : [where]
  const flaw = (event: string, message: string, fix = sourcesFix): SourceFlaw => ({
    event,
    command: string(place, '(no path)'),
    message,
    fix,
  })
  if (!isPair) return flaw(where, `Expected "${where}" to be one system and its path, got ${got(raw)}.`)
  const name = key.slice(0, 60)
  const unsupportedByPath = typeof place === 'string' ? unsupportedSystemOf(place) : undefined
  const known = Object.hasOwn(unsupported, key) ? key : unsupportedByPath
  if (known !== undefined)
    return flaw(
      known,
      `Expected a system whose hooks can be read, got ${known}: ${unsupported[known] ?? ''}.`,
      'Write the hook again under "hooks:". To run its script there, write a small wrapper script that translates the payload.',
    )
  if (!isSystem(key))
    return flaw(
      name,
      `Expected "${where}" to name a system whose hooks can be read, got ${got(name)}.`,
      nearestFix(name, SYSTEM_NAMES, sourcesFix),
    )
  if (
    typeof place !== 'string' ||
    place.trim() === '' ||
    place.length > maxPlaceChars ||
    place.includes('\0')
  )
    return flaw(
      key,
      `Expected "${where}.${key}" to be a path of at most ${maxPlaceChars} characters, got ${got(place)}.`,
      'Write a path relative to the workspace, or an absolute path.',
    )
  if (/^~[^/]/.test(place))
    return flaw(
      key,
      `Expected "${where}.${key}" to be a relative path, an absolute path or a path with "~/", got ${got(place)}.`,
      '"~/" is the home of the person who started hookgate. Write the full path for the home of another user.',
    )
  return { system: key, place }
}

interface ReadPlace {
  readonly path: DocumentPath
  readonly read: ForeignSource | SourceFlaw
}

const readSources = (raw: Json): readonly ReadPlace[] => {
  const flawed = (at: DocumentPath, command: string, message: string, fix: string): ReadPlace => ({
    path: ['sources', ...at],
    read: { event: 'sources', command, message, fix },
  })
  if (raw === null) return []
  if (!Array.isArray(raw))
    return [flawed([], '(no path)', `Expected "sources" to be a list, got ${got(raw)}.`, sourcesFix)]
  const rest = raw.length - maxSources
  const tooMany = `Expected at most ${maxSources} sources, got ${raw.length}. The last ${rest} are not read.`
  return [
    ...raw
      .slice(0, maxSources)
      .map((one: Json, index) => ({ path: ['sources', index], read: readSource(one, `sources[${index}]`) })),
    ...(rest > 0 ? [flawed([maxSources], `(${rest} more)`, tooMany, 'Remove some sources.')] : []),
  ]
}

/**
 * Reads `shell_hooks.yaml`. An invalid entry is listed and does not hide the valid ones. `file` is the name
 * of the file in messages.
 */
export const readShellHooks = (text: string, file: string, ports: EventPorts): ShellHooks => {
  const document = readYaml(text, { file, maxChars })
  if ('problem' in document) return { proposed: [], problem: document.problem }
  const { root, lineOf } = document
  if (root === null) return { proposed: [] }
  const hooks = isObject(root) ? (root['hooks'] ?? []) : undefined
  const broken = (message: string, rest: Partial<Problem> = {}): Source => ({
    proposed: [],
    problem: { code: 'yaml.hooks', file, message, fix: correctFileFix, ...rest },
  })
  if (!isObject(root) || !Array.isArray(hooks)) {
    return broken(`Expected "hooks" to be a list of hooks, got ${got(hooks ?? root)}.`, {
      line: 1,
      fix: 'Write "hooks:", and below it one "- event: …" for each hook.',
    })
  }
  if (hooks.length > maxHooks) return broken(`Expected at most ${maxHooks} hooks, got ${hooks.length}.`)

  const invalid = (path: DocumentPath, event: string, command: string, problem: Problem): ProposedHook => ({
    kind: 'invalid',
    event,
    command,
    problem: { ...problem, file, line: lineOf(path) },
  })
  const known = ['hooks', 'sources']
  const unknownOptions = Object.keys(root)
    .filter((key) => !known.includes(key))
    .slice(0, maxUnknownOptions)
  const places = readSources(root['sources'] ?? null)
  const sources = places.flatMap(({ read }) => ('place' in read ? [read] : []))
  return {
    proposed: [
      ...hooks.map((raw: Json, index): ProposedHook => {
        const read = readEntry(raw, `hooks[${index}]`, file, ports)
        if ('entry' in read) {
          const remarks = [...matcherRemarks(read.entry), ...builtinRemarks(read.entry)]
          return { kind: 'entry', entry: read.entry, ...(remarks.length === 0 ? {} : { remarks }) }
        }
        const options = isObject(raw) ? raw : {}
        const subject =
          ['command', 'url', 'prompt'].find((option) => typeof options[option] === 'string') ?? 'command'
        return invalid(
          ['hooks', index, ...read.path],
          string(options['event'], `hooks[${index}]`),
          string(options[subject], '(no command)'),
          read.problem,
        )
      }),
      ...places.flatMap(({ path, read }): readonly ProposedHook[] => {
        if ('place' in read) return []
        const { event, command, ...told } = read
        return [invalid(path, event, command, { code: 'yaml.sources', ...told })]
      }),
      ...unknownOptions.map((key) =>
        invalid([key], key.slice(0, 60), '(no command)', {
          code: 'yaml.unknown',
          message: `Expected only "hooks" and "sources", got "${key.slice(0, 60)}".`,
          fix: nearestFix(key, known),
        }),
      ),
    ],
    ...(sources.length === 0 ? {} : { sources }),
  }
}
