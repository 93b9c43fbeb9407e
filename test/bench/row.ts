/**
 * Measures one row of the bench in this process, which does nothing else: `node test/bench/row.ts NAME`. The
 * last line of its output is what came of it, as JSON.
 *
 * It also runs in the tree of another revision, so it and `rows.ts` import nothing of `src` before a row
 * does.
 */
import type { startGate } from './gate.ts'
import type { Measured } from './measure.ts'
import { rows, type Row } from './rows.ts'
import type { Outcome } from './run-row.ts'

/** Throws unless each contender that the row names was measured, the floor as the first. */
const expectContenders = ({ floor, aims }: Row, { times }: Measured): void => {
  const measured = times.map(({ name }) => name)
  const named = aims.flatMap(({ of, over }) => [of, ...(over === undefined ? [] : [over])])
  const missing = named.filter((name) => !measured.includes(name))
  if (missing.length > 0 || (typeof floor === 'string' && measured[0] !== floor))
    throw new Error(
      `Expected the floor ${JSON.stringify(floor)} and ${named.join(', ')}, got ${measured.join(', ')}.`,
    )
}

const measureRow = async (row: Row): Promise<Measured> => {
  const stops: (() => Promise<void>)[] = []
  const start: typeof startGate = async (...how) => {
    const { startGate: startOne } = await import('./gate.ts')
    const gate = await startOne(...how)
    // A row may stop it earlier.
    let stopping: Promise<void> | undefined
    const stop = (): Promise<void> => (stopping ??= gate.stop())
    stops.push(stop)
    return { ...gate, stop }
  }
  try {
    const measured = await row.measure(start)
    expectContenders(row, measured)
    return measured
  } finally {
    for (const stop of stops) await stop()
  }
}

const row = rows.find(({ name }) => name === process.argv[2])
const outcome: Promise<Outcome> =
  row === undefined
    ? Promise.resolve({ kind: 'failed', why: `Expected the name of a row, got ${process.argv[2]}.` })
    : measureRow(row).then(
        (measured) => ({ kind: 'measured', ...measured }),
        (error: unknown) => ({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
      )
// A push leaves a timer behind that would keep an empty gate open for ten seconds more.
process.stdout.write(`${JSON.stringify(await outcome)}\n`, () => process.exit(0))
