import { expect, test } from 'vitest'
import { personPlaces } from '../../src/isolation/person-places.ts'

const { mayBeRead, mayBeSealed } = personPlaces(['/home/mia', '/root'])

test.each([
  '.claude/hooks/a.py',
  '.claude/plugins/p/hooks/x.sh',
  '.codex/hooks/x.mjs',
  '.gemini/hooks/deep/x.sh',
])('~/%s is read and can be sealed', (name) => {
  expect([mayBeRead(`/home/mia/${name}`), mayBeSealed(`/root/${name}`)]).toEqual([true, true])
})

test.each(['.claude/settings.json', '.codex/hooks.json', '.kimi-code/config.toml'])(
  '~/%s says which hooks there are: it is read, and never sealed',
  (name) => {
    expect([mayBeRead(`/home/mia/${name}`), mayBeSealed(`/home/mia/${name}`)]).toEqual([true, false])
  },
)

test.each([
  '.ssh/id_ed25519',
  '.claude/.credentials.json',
  '.claude/hooks-not/x',
  '.codex/auth.json',
  '.claude',
  'notes.txt',
  '.config/gh/hosts.yml',
])("~/%s is nobody's but its owner's", (name) => {
  expect([mayBeRead(`/home/mia/${name}`), mayBeSealed(`/home/mia/${name}`)]).toEqual([false, false])
  expect(mayBeRead(`/home/bob/${name}`)).toBe(false)
})
