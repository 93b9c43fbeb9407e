import { parseArgs } from 'node:util'
import { optionWords } from '../../src/shared/base/problem.ts'
import { rows, type Row } from './rows.ts'

/** What `npm run bench` was asked for. */
export type Asked =
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly against: string | undefined }
  | { readonly kind: 'wrong'; readonly words: string }

/** The rows that need a PostgreSQL server, which their first run installs. */
const isOfFleet = ({ name }: Row): boolean => name.startsWith('fleet-')

export const usage = `npm run bench                     everything but the fleet
npm run bench -- NAME...          some rows: ${rows.map(({ name }) => name).join(', ')}
npm run bench -- --quick          the rows that measure this process alone, in a minute
npm run bench -- --against REV    each row here and at another revision by turns, and what worsened
npm run bench -- --against        the same with the last release
npm run bench -- fleet            the rows of a database, nodes and a second gate`

const wrong = (words: string): Asked => ({ kind: 'wrong', words: `${words}\n${usage}` })

/** The word for the last release as a revision. */
export const lastRelease = 'release'

const parsed = (args: readonly string[]) => {
  const isAlone = (word: string, index: number): boolean =>
    word === '--against' && args[index + 1]?.startsWith('--') !== false
  try {
    return parseArgs({
      args: args.map((word, index) => (isAlone(word, index) ? `${word}=${lastRelease}` : word)),
      allowPositionals: true,
      options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
    })
  } catch (error) {
    return optionWords(error)
  }
}

/** `--quick` and names both narrow what is measured. */
export const readAsked = (args: readonly string[]): Asked => {
  const found = parsed(args)
  if (typeof found === 'string') return wrong(found)
  const { positionals, values } = found
  const strange = positionals.filter((word) => word !== 'fleet' && rows.every(({ name }) => name !== word))
  if (strange.length > 0) return wrong(`Expected names of rows, got ${strange.join(', ')}.`)
  const isNamed = (row: Row): boolean =>
    positionals.includes(row.name) ||
    (isOfFleet(row) ? positionals.includes('fleet') : positionals.length === 0)
  const asked = rows.filter((row) => isNamed(row) && (row.isQuick || !values.quick))
  if (asked.length === 0) return wrong(`Expected a quick row, got ${positionals.join(', ')}.`)
  return { kind: 'rows', rows: asked, against: values.against }
}
