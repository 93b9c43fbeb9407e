import type { Dialect } from '../model/dialect.ts'

export const dockerAgent: Dialect = {
  name: 'docker-agent',
  events: [],
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: () => ({}),
  decode: () => ({ kind: 'abstain', notes: [] }),
  env: () => ({}),
  read: () => ({ wrong: 'not yet' }),
  write: () => undefined,
}
