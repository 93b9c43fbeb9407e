import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import type { GrantShape, NewGrant } from '../../../src/core/model/gate/grant.ts'
import { createFixture, startMs, type Fixture } from './gate-fixture.ts'

const me = 'telegram:7'
const hourMs = 3_600_000
let fixture: Fixture
let gate: Gatekeeper
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const exact = (command: string): GrantShape => ({ kind: 'exact', input: JSON.stringify({ command }) })
const pattern = (source: string): GrantShape => ({
  kind: 'pattern',
  field: 'command',
  pattern: source,
  others: '{}',
  loose: [],
})
const aGrant = (over: Partial<NewGrant> = {}): NewGrant => ({
  agent: 'main',
  tool: 'bash',
  cwd: '/w',
  shape: exact('ls'),
  untilMs: startMs + hourMs,
  ...over,
})
const give = (
  what: NewGrant,
  by = me,
  isSpent: (id: string) => boolean = () => false,
  example = 'git log -5',
) => gate.grant(what, by, example, isSpent)
const idOf = (done: Awaited<ReturnType<typeof give>>): string => {
  if (!done.ok) throw new Error(done.problem.message)
  return done.grant.id
}

describe('a grant', () => {
  test('stands in the ledger with who gave it, raises the revision, and the next start has it', async () => {
    const { revision } = gate.state()
    const id = idOf(await give(aGrant({ uses: 3 })))
    expect(gate.state().revision).toBe(revision + 1)
    for (const one of [gate, await fixture.open()])
      expect(one.state().grants.get(id)).toMatchObject({ ...aGrant({ uses: 3 }), id, by: me })
  })

  test('ends by a revoke, once', async () => {
    const id = idOf(await give(aGrant()))
    expect(await gate.ungrant(id, me)).toMatchObject({ id })
    expect(await gate.ungrant(id, me)).toBeUndefined()
    expect((await fixture.open()).state().grants.size).toBe(0)
  })

  test('ends when the owner who gave it is removed or gets a lower role', async () => {
    for (const end of [
      () => gate.removeOwner('telegram:8', me),
      () => gate.setRole({ id: 'telegram:8', role: 'approver' }, me),
    ]) {
      await gate.addOwner({ id: 'telegram:8' }, me)
      const mine = idOf(await give(aGrant({ shape: exact('mine') })))
      await give(aGrant({ shape: exact('theirs') }), 'telegram:8')
      expect(await end()).toEqual({ ok: true })
      expect([...gate.state().grants.keys()]).toEqual([mine])
      await gate.ungrant(mine, me)
    }
  })

  test('ends with a recovery, because a damaged line could have ended it', async () => {
    await give(aGrant())
    const { head } = gate.state()
    gate.lockDown('a test')
    await gate.recover(me, head)
    expect(gate.state().grants.size).toBe(0)
  })

  test('is given by an owner and by nobody else', async () => {
    await gate.setRole({ id: 'telegram:8', role: 'approver' }, me)
    for (const by of ['telegram:8', 'telegram:66'])
      expect(await give(aGrant(), by)).toMatchObject({ ok: false, problem: { code: 'grant.owner' } })
  })

  test('has an end, within a year or after at most 1000 uses', async () => {
    const { untilMs: _, ...endless } = aGrant()
    for (const what of [
      endless,
      aGrant({ untilMs: startMs }),
      aGrant({ untilMs: startMs + 366 * 24 * hourMs }),
      aGrant({ uses: 0 }),
      aGrant({ uses: 1001 }),
      aGrant({ uses: 1.5 }),
    ])
      expect(await give(what)).toMatchObject({ ok: false, problem: { code: 'grant.end' } })
  })

  test('takes the place of one of the same shape, and of those that are over', async () => {
    const first = idOf(await give(aGrant()))
    const spent = idOf(await give(aGrant({ shape: exact('spent'), uses: 1 })))
    const late = idOf(await give(aGrant({ shape: exact('late'), untilMs: startMs + 1000 })))
    fixture.clock.nowMs += 2000
    const next = idOf(await give(aGrant({ uses: 9 }), me, (id) => id === spent))
    expect([...gate.state().grants.keys()]).toEqual([next])
    expect([first, spent, late]).not.toContain(next)
  })
})

describe('the pattern of a grant', () => {
  test.each([
    ['lookaround', 'git (?!push)[a-z -]*5', 'lookaround or a backreference'],
    ['a backreference', '(g)it log -\\1?5', 'lookaround or a backreference'],
    ['one that does not compile', 'git [', 'linear time'],
    ['a bracket that would close ours', 'x)|(?:git log -5', 'linear time'],
    ['an open quote', 'git log -5\\Q', 'linear time'],
    ['one that costs too much', '(git log -5|[a-z]{900}){1,900}', 'too costly'],
    ['one that does not match this call', 'git log', 'each command in command of this call as a whole'],
    ['one that matches a part of this call', 'git', 'each command in command of this call as a whole'],
    ['one that matches anything', '.*', 'matches any text'],
    ['one that matches anything, otherwise', '[^\\n]+|x', 'matches any text'],
    ['one that matches any program', '\\w+ log.*', 'matches any text'],
    ['one that is too long', `git log -5|${'x'.repeat(300)}`, 'at most 300 fit'],
  ])('%s is refused with words', async (_, source, words) => {
    const done = await give(aGrant({ shape: pattern(source) }))
    expect(done).toMatchObject({ ok: false, problem: { code: 'grant.pattern' } })
    expect(done.ok ? '' : done.problem.message).toContain(words)
    expect(done.ok ? '' : done.problem.fix).toMatch(/\.$/)
  })

  test('is given for the commands of a line, each of which is known to run nothing else', async () => {
    for (const example of ['git log -5', 'git log -5 | git log'])
      expect((await give(aGrant({ shape: pattern('git log.*') }), me, () => false, example)).ok).toBe(true)
  })

  test.each([
    'uv run python x.py',
    'npm run build',
    'git log; ./x',
    'A=1 git log',
    'git log --output=x',
    'git log "',
  ])('is not given for %s, although it matches', async (example) => {
    const shape = pattern(example.replaceAll(/[.+]/g, '\\$&'))
    const done = await give(aGrant({ shape }), me, () => false, example)
    expect(done.ok ? '' : done.problem.message).toContain('may run other programs')
    expect(done.ok ? '' : done.problem.fix).toContain('exactly this call')
  })
})
