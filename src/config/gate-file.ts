import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Yaml from 'yaml'
import type { z } from 'zod'
import { nearest } from '../shared/base/nearest.ts'
import { got, ProblemError, type Problem } from '../core/model/gate/problem.ts'
import { knownOptions, knownValues } from './known-options.ts'
import { readBounded } from './read-bounded.ts'
import { gateSchema, type GateFile } from './schema.ts'

/** The place of a value in gate.yaml. */
type Place = Pick<Problem, 'file' | 'line' | 'column'>

/** What gate.yaml says, and where it says it. */
export interface GateText {
  /** True when there is a gate.yaml. */
  readonly isThere: boolean
  readonly file: GateFile
  /** The place of a value, or else of the nearest value around it. It has no line where there is no file. */
  placeOf(path: readonly PropertyKey[]): Place
}

const maxBytes = 1_000_000
/** More problems than this are not listed, because one mistake can cause many. */
const maxProblems = 20

/** The whole gate.yaml of somebody who has none. */
export const defaultGate = (): GateText => ({
  isThere: false,
  file: gateSchema.parse({}),
  placeOf: () => ({}),
})

/** True for a text like that of the first start. */
const isOnlyComments = (text: string): boolean =>
  text.split('\n').every((line) => ['', '#'].includes(line.trimStart().charAt(0)))

/**
 * Loads the YAML parser only if gate.yaml says something, because nothing else in the gate's main thread
 * needs it.
 */
const load = createRequire(import.meta.url) as (name: 'yaml') => typeof Yaml

interface Read {
  readonly root: unknown
  placeOf(path: readonly PropertyKey[]): Place
  /** The places of all keys with this name. */
  placesOfKey(name: string): readonly Place[]
}

const syntax = (why: string, place: Place): Problem => ({
  code: 'gate.syntax',
  message: `Expected YAML, but ${why.split('\n')[0]?.replace(/\.$/, '')}.`,
  fix: 'Correct the file.',
  ...place,
})

/** Throws the first problems, if there is one. */
const throwIfAny = (problems: readonly Problem[]): void => {
  const [first, ...more] = problems
  if (first !== undefined) throw new ProblemError(first, ...more.slice(0, maxProblems - 1))
}

/** Throws for a value that contains itself, which an alias inside its own anchor makes. */
const withoutCircles = (root: unknown): unknown => {
  try {
    JSON.stringify(root)
    return root
  } catch {
    throw new Error('an alias stands inside the value that it names')
  }
}

/** The offset at which a node of the document begins. */
const rangeOf = (node: unknown): number | undefined => {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined
}

const readYaml = (text: string, file: string): Read => {
  const { isMap, isScalar, LineCounter, parseDocument, visit } = load('yaml')
  const lines = new LineCounter()
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      logLevel: 'error',
      prettyErrors: false,
      // The time of the parser's own check grows with the square of the number of keys.
      uniqueKeys: false,
    })
    throwIfAny(
      document.errors.map(({ code, message, pos: [offset] }) =>
        syntax(code === 'MULTIPLE_DOCS' ? 'it has more than one document' : message, at(offset)),
      ),
    )
    const twice: Problem[] = []
    visit(document, {
      Map: (_, { items }) => {
        const names = new Set<string>()
        for (const { key } of items) {
          if (!isScalar(key)) continue
          const name = String(key.value)
          if (names.has(name))
            twice.push(syntax(`the key "${name.slice(0, 60)}" occurs twice`, at(rangeOf(key) ?? 0)))
          names.add(name)
        }
      },
    })
    throwIfAny(twice)
    /** A key's own place, so that also an unknown option and one without a value have one. */
    const keyOf = (path: readonly PropertyKey[]): unknown => {
      const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1).map(String), true)
      const name = String(path.at(-1))
      return isMap(map)
        ? map.items.find(({ key }) => isScalar(key) && String(key.value) === name)?.key
        : document.getIn(path.map(String), true)
    }
    return {
      root: withoutCircles(document.toJS({ maxAliasCount: 100 }) ?? {}),
      placeOf: (path) => {
        for (let depth = path.length; depth > 0; depth--) {
          const offset = rangeOf(keyOf(path.slice(0, depth)))
          if (offset !== undefined) return at(offset)
        }
        return { file }
      },
      placesOfKey: (name) => {
        const places: Place[] = []
        visit(document, {
          Pair: (_, { key }) => {
            if (isScalar(key) && key.value === name) places.push(at(rangeOf(key) ?? 0))
          },
        })
        return places
      },
    }
  } catch (error) {
    // The parser throws on aliases that expand without end and on brackets nested deeper than its stack, and
    // JSON throws on a value that contains itself.
    throw error instanceof ProblemError
      ? error
      : new ProblemError(syntax(error instanceof Error ? error.message : 'it cannot be read', { file }))
  }
}

/** The known name that is nearest to a typed one, also when one of them is only longer: `api_key`. */
const nearestOption = (typed: string, known: readonly string[]): string | undefined => {
  const longer = known.filter(
    (name) => typed.length >= 3 && (name.startsWith(`${typed}_`) || typed.startsWith(`${name}_`)),
  )
  return nearest(typed, known) ?? (longer.length === 1 ? longer[0] : undefined)
}

/** The advice for an unknown option, with the options that there are. */
const fixForName = (typed: string, known: readonly string[]): string => {
  const meant = nearestOption(typed, known)
  const list = known.length === 0 ? '' : `; there are ${known.join(', ')}`
  return `${meant === undefined ? '' : `Did you mean "${meant}"? `}Correct or remove the option${list}.`
}

/** The advice for a wrong value. The message names the words that it may be. */
const fixForValue = (value: unknown, known: readonly string[]): string => {
  const meant = typeof value === 'string' ? nearest(value, known) : undefined
  return `${meant === undefined ? '' : `Did you mean "${meant}"? `}Correct or remove the option.`
}

const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    root,
  )

/** The problems of one issue: an unknown option is a problem of its own. */
const problemsOf = (issue: z.core.$ZodIssue, { root, placeOf }: Read): readonly Problem[] => {
  const path = issue.path.map(String)
  const value = valueAt(root, path)
  const name = path.join('.') || 'gate.yaml'
  const wrong = (message: string, fix: string, at: readonly PropertyKey[] = issue.path): Problem => ({
    code: 'gate.value',
    message,
    fix,
    ...placeOf(at),
  })
  if (issue.code === 'unrecognized_keys') {
    const known = knownOptions(gateSchema, issue.path, root)
    return issue.keys
      .filter((key) => key !== '__proto__')
      .slice(0, maxProblems)
      .map((key) =>
        wrong(
          `Expected only known options under "${name}", got "${key.slice(0, 60)}".`,
          fixForName(key, known),
          [...issue.path, key],
        ),
      )
  }
  if (issue.code === 'invalid_key')
    return [
      wrong(
        `Expected the names under "${path.slice(0, -1).join('.')}" to be small letters, digits, "-" and "_", beginning with a letter, got ${got(path.at(-1))}.`,
        fixForName('', []),
      ),
    ]
  const isMapping = issue.code === 'invalid_type' && ['object', 'record'].includes(issue.expected)
  const expected = isMapping ? 'a mapping' : issue.message
  return [
    wrong(
      `Expected "${name}" to be ${expected}, got ${got(value)}.`,
      fixForValue(value, knownValues(gateSchema, issue.path, root)),
    ),
  ]
}

/** A name that JavaScript treats in a special way is never an option. The schema does not see all of them. */
const protoProblems = ({ placesOfKey }: Read): readonly Problem[] =>
  placesOfKey('__proto__').map((place) => ({
    code: 'gate.value',
    message: 'Expected only known options, got "__proto__".',
    fix: fixForName('', []),
    ...place,
  }))

const byPlace = (a: Problem, b: Problem): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)

/** Reads gate.yaml. Throws a ProblemError with everything that is wrong with it, in the order of the file. */
export const readGateFile = (home: string): GateText => {
  const file = join(home, 'gate.yaml')
  const read = readBounded(file, maxBytes)
  const unreadable = (why: string): ProblemError =>
    new ProblemError({
      code: 'gate.unreadable',
      message: `Expected gate.yaml to be a readable file of at most 1 MB, but it is ${why}.`,
      fix: 'Correct or remove it.',
      file,
    })
  if ('why' in read) {
    if (read.why === 'missing') return defaultGate()
    throw unreadable(read.why)
  }
  // A byte that is not UTF-8 was read as this character, so a name would differ from what the person sees.
  if (read.text.includes('\uFFFD')) throw unreadable('not in UTF-8')
  if (isOnlyComments(read.text)) return { ...defaultGate(), isThere: true, placeOf: () => ({ file }) }
  const yaml = readYaml(read.text, file)
  const parsed = gateSchema.safeParse(yaml.root)
  const issues = parsed.success ? [] : parsed.error.issues
  throwIfAny(
    [...issues.flatMap((issue) => problemsOf(issue, yaml)), ...protoProblems(yaml)].toSorted(byPlace),
  )
  if (!parsed.success) throw parsed.error
  return { isThere: true, file: parsed.data, placeOf: yaml.placeOf }
}
