import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPlace, type Place } from './builtins-place.ts'
import { hollowRepository, hostileRepository, markNames } from './hostile-repository.ts'

let place: Place
let folder = ''
let cwd = ''
beforeEach(() => {
  place = createPlace()
  ;({ folder, cwd } = place)
})
afterEach(() => place.remove())

describe('a hostile repository', () => {
  const names: readonly string[] = [
    'add_git_status',
    'add_git_diff',
    'add_git_diff full',
    'add_recent_commits 10',
    'add_environment_info',
    'snapshot',
    'undo',
  ]

  test('runs its programs for anybody who asks git plainly: these tests test something', () => {
    const marks = join(folder, 'marks')
    hostileRepository(cwd, marks)
    // A filter that ends early ends git: it is tried first, and then taken away so that the others have their
    // turn.
    const plainly = [
      'status',
      'config --unset filter.other.process',
      'status',
      'diff',
      'diff --no-ext-diff --textconv',
      'log -1 HEAD~1',
    ]
    for (const words of plainly) execFileSync('sh', ['-c', `git ${words} >/dev/null 2>&1; true`], { cwd })
    expect(markNames(marks)).toEqual(
      expect.arrayContaining([
        'clean',
        'command',
        'external',
        'fsmonitor',
        'gpg',
        'hook',
        'inner-clean',
        'inner-fsmonitor',
        'process',
        'textconv',
      ]),
    )
    const remote = join(folder, 'remote')
    hollowRepository(join(folder, 'hollow'), remote)
    execFileSync('sh', ['-c', 'git diff >/dev/null 2>&1; true'], { cwd: join(folder, 'hollow') })
    expect(markNames(remote)).toEqual(['remote'])
  })

  test.each(names)('runs nothing of its own: %s', async (words) => {
    const [name = '', ...args] = words.split(' ')
    const marks = join(folder, 'marks')
    hostileRepository(cwd, marks)
    const said = await place.ask(name, args)
    if (name !== 'undo') expect(said).not.toHaveProperty('error')
    if (name === 'add_git_status') expect(said['context']).toContain(' M c.flt')
    if (name === 'add_git_diff' && args.length > 0) expect(said['context']).toContain('+two')
    expect(markNames(marks)).toEqual([])
  })

  test('does not make git ask a remote for what is missing', async () => {
    const marks = join(folder, 'marks')
    hollowRepository(join(cwd, 'hollow'), marks)
    expect(await place.ask('add_git_diff', ['full'], join(cwd, 'hollow'))).toHaveProperty('error')
    expect(markNames(marks)).toEqual([])
  })
})

describe('undo', () => {
  test('keeps fifty snapshots and a name in no encoding', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0x66, 0xff])]), 'x')
    for (let count = 0; count < 53; count++) {
      place.write('count', String(count))
      expect(await place.ask('snapshot')).toEqual({})
    }
    place.write('count', 'last')
    expect((await place.ask('undo'))['context']).toContain('left: 48')
    expect(readFileSync(join(cwd, 'count'), 'utf8')).toBe('52')
  })
})
