import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHookHost, type HookHost } from '../../../../src/handlers/host/host.ts'
import { measureHome } from '../../../../src/handlers/host/spawn/hooks-bound.ts'
import { until } from '../../../until.ts'

let root: string
let host: HookHost | undefined
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'hookgate-bound-'))
  for (const name of ['home', 'tmp']) fs.mkdirSync(join(root, name))
})
afterEach(async () => {
  await host?.stop()
  fs.rmSync(root, { recursive: true, force: true })
})
const at = (...names: readonly string[]): string => join(root, ...names)
const folders = () => ({ home: at('home'), tmp: at('tmp') })
const start = async (): Promise<HookHost> =>
  (host = await startHookHost({ log: () => undefined, folders: folders() }))
const run = (script: string) =>
  host?.run({
    argv: ['/bin/sh', '-c', script],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: at('home') },
    stdin: '',
    timeoutMs: 10_000,
  })

test('what hooks wrote is measured, a folder that is closed to others included', async () => {
  const { measure } = await start()
  const before = (await measure()) ?? Number.NaN
  await run(
    `dd if=/dev/zero of="$HOME"/.cache/big bs=1024 count=3000 2> /dev/null; dd if=/dev/zero of=${at('tmp', 'big')} bs=1024 count=2000 2> /dev/null; chmod 700 ~/.cache`,
  )
  expect((((await measure()) ?? Number.NaN) - before) / 1024).toBeGreaterThan(4900)
})

test('emptied of its caches, the home has what is no cache; a hook that runs is stopped, and fails as one that gave no verdict', async () => {
  const { empty } = await start()
  await run('echo kept > ~/.claude/log.txt; echo gone > ~/.cache/x; mkdir -p ~/.npm; echo gone > ~/.npm/y')
  const running = run('touch ~/runs; exec sleep 60')
  await until('the hook to run', () => fs.existsSync(at('home', 'runs')))
  empty('caches', 'It was too much.')
  expect(await running).toMatchObject({ failure: { kind: 'broken', detail: 'It was too much.' } })
  expect(await run('cat ~/.claude/log.txt; test -e ~/.cache/x -o -e ~/.npm/y || echo gone')).toMatchObject({
    stdout: 'kept\ngone\n',
  })
  await until('the caches to go', () => !fs.existsSync(at('home', '.going')))
})

test('emptied of all, it begins anew; what lay there is set aside for a day, and what comes after does not take its place', async () => {
  const { empty, measure } = await start()
  const first = (await measure()) ?? Number.NaN
  await run(
    `echo first > ~/.claude/log.txt; echo session > ${at('tmp', 'agent.log')}; dd if=/dev/zero of="$HOME"/big bs=1024 count=3000 2> /dev/null`,
  )
  empty('all', 'It was too much.')
  await run('echo second > ~/.claude/log.txt; mkdir ~/closed; echo x > ~/closed/x; chmod 0 ~/closed')
  const aside = at('home', '.set-aside', '.claude', 'log.txt')
  expect([
    fs.readFileSync(aside, 'utf8'),
    fs.readFileSync(at('tmp', '.set-aside', 'agent.log'), 'utf8'),
  ]).toEqual(['first\n', 'session\n'])
  expect((((await measure()) ?? Number.NaN) - first) / 1024).toBeLessThan(500)
  empty('all', 'It was too much.')
  expect(await run('ls -A ~/.claude/log.txt ~/closed')).toMatchObject({ stdout: '' })
  expect(fs.readFileSync(aside, 'utf8')).toBe('first\n')
  // A day is over, or a hook or a clock that was set back left a time that lies ahead.
  for (const agoMs of [25 * 3_600_000, -48 * 3_600_000]) {
    await run(`echo ${agoMs} > ~/.claude/log.txt`)
    const then = new Date(Date.now() - agoMs)
    fs.utimesSync(at('home', '.set-aside'), then, then)
    empty('all', 'It was too much.')
    await run('true')
    expect(fs.readFileSync(aside, 'utf8')).toBe(`${agoMs}\n`)
  }
  await until('the rest to go', () => !fs.existsSync(at('home', '.going')))
})

test('a tree that is not there is empty', async () => {
  expect(await measureHome({ home: at('nowhere'), tmp: at('nowhere') })).toBe(0)
})
