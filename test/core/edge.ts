// What the edge of a running gate can reach of the core, read from its sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const heart = 'src/core/'

/**
 * The files of the core, besides its vocabulary, from which the rest of a running gate may take functions.
 * Each gives no more than its reason says. Types may come from anywhere, since they can do nothing.
 */
export const faces: Readonly<Record<string, string>> = {
  'commands/parse.ts': 'it reads a line',
  'inbox/receive.ts': 'it takes messages',
  'gatekeeper/open-gate.ts': 'it reads, and each act needs a consent',
  'gatekeeper/grants/pattern-cover.ts': 'it says what a pattern covers',
  'gatekeeper/ledger/follow.ts': 'a gate that waits reads the ledger, and keeps its end',
  // A hook that is armed so is in no list of the gate. It is asked in a trial, and decides nothing.
  'gatekeeper/arming.ts': 'it makes a copy of a hook ready for a trial',
  'gatekeeper/seal/seal.ts': 'it writes such a copy to a folder',
  'hooks/hooks.ts': 'it asks hooks',
  'hooks/match/matcher.ts': 'it says which hooks match',
  'hooks/settle/asking.ts': 'it asks one hook',
  'hooks/settle/settle.ts': 'it asks hooks about an event of the past',
  'hooks/settle/rewrite.ts': 'it applies a rewrite to a copy of a payload',
  'dispatcher/dispatcher.ts': 'it judges, and what leaves goes through its door',
}

const imports =
  /(?:^|\n)\s*(?:import|export)\b([^'"`;]*?)\bfrom\s*['"](\.[^'"]+)['"]|\bimport\s*\(?\s*['"](\.[^'"]+)['"]/g

/** True for an import of types alone. */
const isOfTypes = (names: string): boolean => {
  const inner = /\{([^}]*)\}/.exec(names)?.[1]
  if (/^\s*type\b/.test(names)) return true
  const each = inner?.split(',').flatMap((name) => name.trim() || [])
  return each !== undefined && each.length > 0 && each.every((name) => name.startsWith('type '))
}

/** A program that a file starts beside itself, in a thread or a process. */
const programs = /new URL\(\s*`\.\/([\w-]+)\$\{extname/g

interface Import {
  readonly from: string
  readonly to: string
  readonly isOfTypes: boolean
}

const importsOf = (tree: string, file: string): readonly Import[] => {
  const text = readFileSync(join(tree, file), 'utf8')
  const at = (to: string): string => posix.join(dirname(file), to)
  return [
    ...[...text.matchAll(imports)].map(([, names = '', fixed, lazy = '']) => ({
      from: file,
      to: at(fixed ?? lazy),
      isOfTypes: fixed !== undefined && isOfTypes(names),
    })),
    ...[...text.matchAll(programs)].map(([, name = '']) => ({
      from: file,
      to: at(`${name}.ts`),
      isOfTypes: false,
    })),
  ]
}

/** Every file that a running gate loads, with what each imports. */
const loadedFrom = (tree: string, first: string): ReadonlyMap<string, readonly Import[]> => {
  const loaded = new Map<string, readonly Import[]>()
  for (const queue = [first]; queue.length > 0;) {
    const file = queue.pop() ?? ''
    if (loaded.has(file) || !file.endsWith('.ts') || !existsSync(join(tree, file))) continue
    loaded.set(file, importsOf(tree, file))
    queue.push(...(loaded.get(file) ?? []).filter((one) => !one.isOfTypes).map(({ to }) => to))
  }
  return loaded
}

/** What no file of the edge may say, and where it stands all the same, each place with its reason. */
const words = [
  {
    what: 'sends',
    pattern: /\bdeliver\b\s*[(?\]}:,.]|\[['"]deliver/,
    // The contract of a channel, and the channels themselves: they refuse what the door did not let through.
    may: /^bots\/|^src\/core\/model\/chat\/channel\.ts$/,
  },
  {
    what: "reads a messenger's token",
    pattern:
      /\b(?:telegram|feishu|wechat)\b[?!]?\.(?:token|appSecret)\b|\bappSecret\b|\.\.\.\s*[\w.]*\b(?:telegram|feishu)\b/,
    // They read gate.yaml and the environment, and hand the token to the messenger's own folder.
    may: /^bots\/|^src\/config\/|^src\/compose\/channels\.ts$/,
  },
  {
    what: "names the ledger's key or head",
    pattern: /ledger\.(?:key|head)\b/,
    // It looks whether a ledger was ever begun here, and reads nothing of it.
    may: /^src\/config\/first-start\.ts$/,
  },
] as const

const isComment = /^\s*(?:\*|\/\/|\/\*)/

/** The ways by which the edge could open the gate or let something out. There must be none. */
export const waysAround = (tree = root, first = 'src/main.ts'): readonly string[] => {
  const edge = [...loadedFrom(tree, first)].filter(([file]) => !file.startsWith(heart))
  const reached = edge.flatMap(([, all]) =>
    all
      .filter(({ to, isOfTypes }) => !isOfTypes && to.startsWith(heart) && !to.startsWith(`${heart}model/`))
      .filter(({ to }) => !Object.hasOwn(faces, to.slice(heart.length)))
      .map(({ from, to }) => `${from} reaches into ${to}`),
  )
  const said = edge.flatMap(([file]) =>
    readFileSync(join(tree, file), 'utf8')
      .split('\n')
      .flatMap((line) =>
        words.flatMap(({ what, pattern, may }) =>
          !isComment.test(line) && pattern.test(line) && !may.test(file)
            ? [`${file} ${what}: ${line.trim()}`]
            : [],
        ),
      ),
  )
  return [...reached, ...said]
}

/** The files outside of the core that a running gate loads. */
export const edgeOf = (tree = root): readonly string[] =>
  [...loadedFrom(tree, 'src/main.ts').keys()].filter((file) => !file.startsWith(heart))
