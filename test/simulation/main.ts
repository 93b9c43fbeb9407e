// Tries simulated histories of a fleet, or says how much one PostgreSQL carries:
// `npm run simulate -- laws 100 [seed]` or `npm run simulate -- size`.
import { findBroken } from './laws.ts'
import { showSize } from './size.ts'

const [what = 'laws', count = '100', seed = String(Date.now() % 2 ** 31), first] = process.argv.slice(2)
if (what === 'size') await showSize()
else if (what === 'laws' && Number(count) > 0) {
  const { runs, steps, broken } = await findBroken(Number(count), Number(seed), first !== 'first')
  process.stdout.write(`${runs} histories, ${steps} steps\n`)
  if (broken !== undefined) {
    process.stdout.write(`${broken}\n`)
    process.exitCode = 1
  }
} else
  throw new Error(
    `Expected "laws", a number and a seed, or "size", got ${JSON.stringify(process.argv.slice(2))}.`,
  )
