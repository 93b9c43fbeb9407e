/**
 * `node test/handlers/builtins/redact/figures.ts` prints what redact_secrets finds of the corpus, and what it
 * takes for a secret.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge } from '../../../../src/handlers/builtins/redact/files/judge.ts'
import { find } from '../../../../src/handlers/builtins/redact/find.ts'
import { joinSpans } from '../../../../src/handlers/builtins/redact/span.ts'
import { disguises, type Disguise } from './disguises.ts'
import { containers, keep } from './made-files.ts'
import { madeSecrets } from './made-secrets.ts'
import { ordinaryTexts } from './ordinary-texts.ts'
import { seeded } from './seeded.ts'

const seed = 20_261_121
/** What stands around a secret: nothing that is part of one. */
const around = [
  ['Here it is: ', ' and please keep it.'],
  ['今天的密钥是 ', ' 谢谢!'],
  ['- café – “x” &amp; ', ' (50%)\n* done'],
  ['', ''],
  ['{"a":1}\n', '\nbye 👍🏽'],
] as const

export interface Cell {
  readonly kind: string
  readonly disguise: string
  readonly tried: number
  readonly found: number
  /** Secrets of which nothing was left, but that took something of the text around them. */
  readonly tookMore: number
}

/** The words that name a key in hex stay, in their disguise: a sixth of it. */
const isLabel = (kind: string, left: string, written: string): boolean =>
  kind === 'private key, hex' && left.length < written.length / 4
const isLeft = (text: string, mayStay: Disguise['mayStay']): boolean =>
  (mayStay === undefined ? text : text.replaceAll(mayStay, '')) !== ''
const fits = ({ only }: Disguise, secret: string): boolean =>
  only === undefined || !(only === 'one word' ? /[\s\u3000]/ : /\n/).test(secret)

/** Every kind under every disguise, so many of each. */
export const measureRecall = async (each: number): Promise<readonly Cell[]> => {
  const cells: Cell[] = []
  for (const [kind, make] of Object.entries(madeSecrets)) {
    for (const [name, disguise] of Object.entries(disguises)) {
      const chance = seeded(seed + cells.length)
      let [tried, found, tookMore] = [0, 0, 0]
      for (let count = 0; count < each; count++) {
        const secret = make(chance)
        if (!fits(disguise, secret)) continue
        const [before, after] = chance.pick(around)
        const written = disguise.write(secret)
        const spans = joinSpans(await find(`${before}${written}${after}`))
        const [start, end] = [before.length, before.length + written.length]
        let [left, at] = ['', start]
        for (const span of spans) {
          left += written.slice(at - start, Math.max(0, span.start - start))
          at = Math.max(at, span.end)
        }
        left += written.slice(at - start)
        tried += 1
        if (isLeft(left, disguise.mayStay) && !isLabel(kind, left, written)) continue
        found += 1
        if (spans.some((span) => span.start < start || span.end > end)) tookMore += 1
      }
      if (tried > 0) cells.push({ kind, disguise: name, tried, found, tookMore })
    }
  }
  return cells
}

export interface Ordinary {
  readonly kind: string
  readonly texts: number
  readonly units: number
  /** The texts in which something was taken for a secret, with what. */
  readonly wrong: readonly string[]
}

export const measureOrdinary = async (each: number): Promise<readonly Ordinary[]> => {
  const rows: Ordinary[] = []
  for (const [kind, make] of Object.entries(ordinaryTexts)) {
    const chance = seeded(seed + rows.length)
    let units = 0
    const wrong: string[] = []
    for (let count = 0; count < each; count++) {
      const text = make(chance)
      units += text.length
      const [first] = await find(text)
      if (first !== undefined) wrong.push(`${first.kind}: ${text.slice(first.start, first.end)}`)
    }
    rows.push({ kind, texts: each, units, wrong })
  }
  return rows
}

/** A container that cannot hold the letters: the older texts of a picture are Latin-1. */
const isLatin1 = /^PNG, (?:tEXt|zTXt)$/
const holds = (container: string, text: string): boolean =>
  !isLatin1.test(container) || !/[^\0-\xff]/.test(text)

/** Judges files of these bytes, written one after another into a folder of its own. */
const withFiles = async <T>(
  work: (look: (bytes: Buffer) => ReturnType<typeof judge>) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-figures-'))
  const path = join(folder, 'kept')
  try {
    return await work((bytes) => {
      keep(path, bytes)
      return judge([{ name: 'file', path }], 60_000)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Every kind in every container, or one in so many of these, so many of each; the container stands in the
 * place of the disguise.
 */
export const measureFileRecall = (each: number, step = 1): Promise<readonly Cell[]> =>
  withFiles(async (look) => {
    const cells: Cell[] = []
    let place = 0
    for (const [kind, make] of Object.entries(madeSecrets)) {
      for (const [container, write] of Object.entries(containers)) {
        if (place++ % step !== 0) continue
        const chance = seeded(seed + cells.length)
        let [tried, found] = [0, 0]
        for (let count = 0; count < each; count++) {
          const text = `Here it is: ${make(chance)} and please keep it.`
          if (!holds(container, text)) continue
          tried += 1
          if ((await look(write(text))).kind === 'found') found += 1
        }
        if (tried > 0) cells.push({ kind, disguise: container, tried, found, tookMore: 0 })
      }
    }
    return cells
  })

const sources = join(import.meta.dirname, '../../../../src')
const ownFiles = (): readonly (readonly [name: string, bytes: Buffer])[] =>
  [
    '../package-lock.json',
    ...readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')),
  ].map((name) => [name, readFileSync(join(sources, name))])

/** Ordinary texts in every container, and the repository's own sources; or one in so many of all these. */
export const measureOrdinaryFiles = (each: number, step = 1): Promise<readonly Ordinary[]> =>
  withFiles(async (look) => {
    let place = 0
    type Named = readonly [name: string, bytes: Buffer]
    const row = async (kind: string, all: readonly Named[]): Promise<Ordinary> => {
      const files = all.filter(() => place++ % step === 0)
      const wrong: string[] = []
      for (const [name, bytes] of files) {
        const said = await look(bytes)
        if (said.kind !== 'clean') wrong.push(`${name}: ${said.words}`)
      }
      return {
        kind,
        texts: files.length,
        units: files.reduce((total, [, bytes]) => total + bytes.length, 0),
        wrong,
      }
    }
    const rows = [await row('sources and package-lock.json', ownFiles())]
    for (const [container, write] of Object.entries(containers)) {
      const chance = seeded(seed + rows.length)
      rows.push(
        await row(
          container,
          Object.entries(ordinaryTexts).flatMap(([kind, make]) =>
            Array.from({ length: each }, () => make(chance))
              .filter((text) => holds(container, text))
              .map((text) => [kind, write(text)] as const),
          ),
        ),
      )
    }
    return rows
  })

const rate = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)

const recallBy = (cells: readonly Cell[], by: 'kind' | 'disguise'): readonly string[] =>
  [...new Set(cells.map((cell) => cell[by]))].map((name) => {
    const mine = cells.filter((cell) => cell[by] === name)
    const missed = mine
      .filter(({ found, tried }) => found < tried)
      .map((cell) => `${by === 'kind' ? cell.disguise : cell.kind} ${cell.found}/${cell.tried}`)
    return `  ${name.padEnd(38)}${`${sum(mine, ({ found }) => found)}/${sum(mine, ({ tried }) => tried)}`.padStart(12)}${rate(
      sum(mine, ({ found }) => found),
      sum(mine, ({ tried }) => tried),
    ).padStart(9)}  ${missed.join(', ')}`
  })

export const report = (cells: readonly Cell[], ordinary: readonly Ordinary[], by = 'disguise'): string =>
  [
    'Found, by kind',
    ...recallBy(cells, 'kind'),
    '',
    `Found, by ${by}`,
    ...recallBy(cells, 'disguise'),
    '',
    `All: ${rate(
      sum(cells, ({ found }) => found),
      sum(cells, ({ tried }) => tried),
    )} of ${sum(cells, ({ tried }) => tried)}; ${sum(cells, ({ tookMore }) => tookMore)} took more than the secret`,
    '',
    'Taken for a secret in ordinary texts',
    ...ordinary.map(
      ({ kind, texts, units, wrong }) =>
        `  ${kind.padEnd(38)}${`${wrong.length}/${texts}`.padStart(12)}${`${Math.round(units / texts)} units each`.padStart(20)}  ${wrong.slice(0, 2).join(' | ').replaceAll('\n', '⏎').slice(0, 160)}`,
    ),
    '',
    `All: ${rate(
      sum(ordinary, ({ wrong }) => wrong.length),
      sum(ordinary, ({ texts }) => texts),
    )} of ${sum(ordinary, ({ texts }) => texts)} texts`,
  ].join('\n')

if (import.meta.main) {
  process.stdout.write(
    `${report(await measureRecall(20), await measureOrdinary(100))}\n\nFiles\n\n${report(await measureFileRecall(5), await measureOrdinaryFiles(10), 'container')}\n`,
  )
}
