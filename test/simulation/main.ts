// Tries simulated histories of a fleet, or says how much one PostgreSQL carries:
// `npm run simulate -- laws 100 [seed [kinds of faults]]` or `npm run simulate -- size`. A history that
// breaks a law is made smaller, unless the last word is “first”.
import { findBroken } from './find.ts'
import { faultKinds } from './plan.ts'
import { showSize } from './size.ts'

const [what = 'laws', count = '100', seed = String(Date.now() % 2 ** 31), wanted = 'all', last] =
  process.argv.slice(2)
const kinds = faultKinds.filter((kind) => wanted === 'all' || wanted.split(',').includes(kind))
if (what === 'size') await showSize()
else if (what === 'laws' && Number(count) > 0 && kinds.length > 0) {
  const startMs = performance.now()
  const { runs, steps, broken } = await findBroken({
    count: Number(count),
    seed: Number(seed),
    kinds,
    isShrunk: last !== 'first',
  })
  process.stdout.write(`${runs} histories, ${steps} steps\n`)
  process.stderr.write(`${((60_000 * runs) / (performance.now() - startMs)).toFixed(0)} histories a minute\n`)
  if (broken !== undefined) {
    process.stdout.write(`${broken}\n`)
    process.exitCode = 1
  }
} else
  throw new Error(
    `Expected "laws", a number, a seed and kinds of faults, or "size", got ${JSON.stringify(process.argv.slice(2))}.`,
  )
