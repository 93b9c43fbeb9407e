// Tries every forgery against a gate of its own and prints one line each: `node test/attack/print.ts [none|users] [name]`.
import { createFacts } from '../../src/doctor/attack/facts.ts'
import { runAttack } from '../../src/doctor/attack/attack.ts'
import { startInstance } from './instance.ts'
import { none, users } from './modes.ts'

const [, , name = 'none', pattern = ''] = process.argv
const mode = name === 'users' ? users() : none()
const startedAtMs = Date.now()
const instance = await startInstance(mode)
try {
  const facts = createFacts(instance)
  const results = await runAttack(
    { ...instance, asAgent: mode.asAgent, facts, look: () => new Promise((done) => setTimeout(done, 700)), now: Date.now },
    {
      only: (forgery) => forgery.name.includes(pattern),
      progress: ({ forgery, kind, why }) => console.log(`${kind.padEnd(8)} ${forgery.name.padEnd(24)} ${forgery.title}: ${why}`),
    },
  )
  const count = (kind: string): number => results.filter((one) => one.kind === kind).length
  console.log(`${mode.name}: ${count('held')} held, ${count('broken')} broken, ${count('untried')} untried, ${Math.round((Date.now() - startedAtMs) / 1000)} s`)
} finally {
  await instance.remove()
}
