import { expect, test } from 'vitest'
import { createSources, shellHooksFile } from '../../../src/hooks/sources/sources.ts'

type Read = { readonly text: string } | { readonly why: string }
const one: Read = { text: 'hooks:\n  - {event: on_stop, command: ./a.sh}\n' }

test('what cannot be read keeps what was read last, and says so', () => {
  let file: Read = one
  const sources = createSources((path) => (path === shellHooksFile ? file : { why: 'missing' }))
  expect(sources.get()).toMatchObject({ proposed: [{ kind: 'entry', entry: { command: './a.sh', origin: 'config/shell_hooks.yaml' } }] })
  for (const [next, message] of [[{ text: 'hooks: [' }, 'Expected YAML'], [{ why: 'too large' }, 'but it is too large'], [{ why: 'not a regular file' }, 'not a regular file']] as const) {
    file = next
    expect(sources.get().problem === undefined || sources.get().proposed.length === 1).toBe(true)
    sources.reload()
    expect(sources.get()).toMatchObject({ proposed: [{ entry: { command: './a.sh' } }], problem: { message: expect.stringContaining(message) } })
  }
  file = one
  sources.reload()
  expect(sources.get().problem).toBeUndefined()
})

test('a file that is not there proposes nothing, and that is no problem', () => {
  let file: Read = one
  const sources = createSources(() => file)
  file = { why: 'missing' }
  sources.reload()
  expect(sources.get()).toEqual({ proposed: [] })
})
