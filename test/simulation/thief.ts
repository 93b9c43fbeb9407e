import { chainOf, formatLine, noLine, type Act } from '../../src/core/gatekeeper/ledger/lines.ts'
import { messageOf } from '../../src/core/model/gate/problem.ts'
import type { LedgerLines } from '../../src/core/model/gate/shared.ts'
import { addLines, linesAfter } from '../../src/store/postgres/ledger-lines.ts'
import type { PostgresClient } from '../../src/store/postgres/client.ts'
import { approvalOfGuard, owner } from './gate.ts'
import type { Database } from './database.ts'
import type { Login } from './tables.ts'
import type { Machine } from './world.ts'

/** A thief has the password of the database, and not the key of the ledger. */
const otherKey = Buffer.alloc(32, 7)
const at = '2026-01-02T00:00:00.000Z'
const signed = (n: number, act: Act, prev: string): string => formatLine(n, at, act, prev, otherKey)
const approval: Act = { act: 'approve', by: owner, data: approvalOfGuard }

interface Loot extends LedgerLines, Pick<PostgresClient, 'query'> {
  readonly client: PostgresClient
  /** Which of the lines, counted round. */
  readonly on: number
}

/** Several statements of the owner of the tables, all or none. */
const inOne = async ({ query }: Loot, statements: readonly string[]): Promise<void> => {
  for (const statement of ['BEGIN', ...statements.map((each) => `/* own */ ${each}`), 'COMMIT'])
    await query(statement)
}
type Way = readonly [what: string, run: (loot: Loot) => Promise<unknown>]

/** What the user of the gates may call. */
const calls: readonly Way[] = [
  [
    'copies the first lines to a ledger of their own',
    ({ client, end, lines, on }) =>
      addLines(client, end, {
        generation: end.generation + 1,
        lines: lines.slice(0, 1 + (on % lines.length)),
      }),
  ],
  [
    'adds an approval that is signed with another key',
    ({ client, end }) =>
      addLines(client, end, {
        generation: end.generation,
        lines: [signed(end.revision + 1, approval, end.head)],
      }),
  ],
  [
    'begins a ledger that is signed with another key',
    ({ client, end }) => {
      const generation = end.generation + 1
      const data = { owners: [{ id: owner }], overrules: [], why: '', kept: '', has_head: true, generation }
      return addLines(client, end, {
        generation,
        lines: [signed(1, { act: 'recover', by: owner, data }, noLine)],
      })
    },
  ],
  // Until the lease ends, nobody takes it. Whoever ends it as well makes two gates decide for some seconds.
  [
    'takes the lease away',
    (loot) => inOne(loot, ["UPDATE hookgate.lease SET epoch = epoch + 1, holder = 'a thief'"]),
  ],
]

/** What only the owner of the tables may do. */
const changes: readonly Way[] = [
  ['moves the end back', (loot) => inOne(loot, ['UPDATE hookgate.ledger SET revision = revision - 1'])],
  [
    'removes the last line',
    (loot) =>
      inOne(loot, [
        'DELETE FROM hookgate.ledger_line WHERE (generation, n) IN (SELECT generation, revision FROM hookgate.ledger)',
        `UPDATE hookgate.ledger SET revision = revision - 1, head = '${chainOf(loot.lines.at(-2) ?? '')}'`,
      ]),
  ],
  [
    'changes a line',
    (loot) => {
      const { generation, revision } = loot.end
      return inOne(loot, [
        `UPDATE hookgate.ledger_line SET line = replace(replace(line, '"revoke"', '"approve"'), '"off"', '"on"')
          WHERE generation = ${generation} AND n = ${1 + (loot.on % revision)}`,
      ])
    },
  ],
  [
    'puts the first lines where a ledger of their own would be',
    (loot) => {
      const revision = 1 + (loot.on % loot.lines.length)
      return inOne(loot, [
        `INSERT INTO hookgate.ledger_line SELECT l.generation + 1, n, line FROM hookgate.ledger_line
          JOIN hookgate.ledger l USING (generation) WHERE n <= ${revision}`,
        `UPDATE hookgate.ledger SET generation = generation + 1, revision = ${revision},
          head = '${chainOf(loot.lines[revision - 1] ?? '')}'`,
      ])
    },
  ],
]

export interface TheftOptions {
  readonly database: Database
  /** The machine of the thief. */
  readonly machine: Machine
  /** As whom the thief comes. */
  readonly login: Login
  /** What is tried, and with which line, counted round. */
  readonly way: number
  readonly on: number
  note(what: string): void
}

/** Somebody with a stolen password tries one thing. What the server refuses changes nothing. */
export const steal = async ({ database, machine, login, way, on, note }: TheftOptions): Promise<void> => {
  const client = database.connect(machine, 10_000, login)
  const ways = login === 'gate' ? [...calls, ...changes] : changes
  const [what, run] = ways[way % ways.length] ?? ['does nothing', () => Promise.resolve()]
  try {
    const found = await linesAfter(client, 0)
    if (found === undefined || found.lines.length < 2) return
    const outcome = await run({ ...found, client, query: client.query, on })
    database.noteLoss(what === 'changes a line' ? Infinity : undefined)
    note(`a thief, as ${login}, ${what}${outcome === 'moved' ? ', and is too late' : ''}`)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    note(`a thief, as ${login}, ${what}, and is refused: ${messageOf(error)}`)
  } finally {
    void client.end()
  }
}
