// Tries every forgery against a gate of its own and prints one line each: `node test/attack/print.ts [none|sandbox|users] [name]`.
import { isModeName } from './modes.ts'
import { tryAll } from './run.ts'

const [, , mode = 'none', pattern = ''] = process.argv
if (!isModeName(mode)) throw new Error(`Expected none, sandbox or users, got ${mode}.`)
const startedAtMs = Date.now()
const { results, left } = await tryAll(mode, {
  only: ({ name }) => name.includes(pattern),
  progress: ({ forgery, kind, why }) =>
    console.log(`${kind.padEnd(8)} ${forgery.name.padEnd(24)} ${forgery.title}: ${why}`),
})
const count = (kind: string): number => results.filter((one) => one.kind === kind).length
console.log(
  `${mode}: ${count('held')} held, ${count('broken')} did not, ${count('untried')} not tried, ${Math.round((Date.now() - startedAtMs) / 1000)} s. ${left.length === 0 ? 'The gate is as it was.' : `Left: ${left.join('; ')}`}`,
)
