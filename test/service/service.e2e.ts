import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askReady } from '../../src/cli/service/ask-ready.ts'
import { cli } from '../e2e/program.ts'
import { needs } from '../needs.ts'

/** Another system: it has nothing but root. */
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookgate-root-'))
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'etc'))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
})
afterEach(() => rmSync(root, { recursive: true }))

const service = (words: readonly string[], user?: { readonly uid: number; readonly gid: number }) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'service', ...words, ...(user === undefined ? ['--root', root] : [])],
    {
      ...user,
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  return { status, said: `${stdout}${stderr}` }
}
const inRoot = (path: string): string => join(root, path)
const read = (path: string): string => readFileSync(inRoot(path), 'utf8')
const rightsOf = (path: string): string => {
  const { mode, uid } = statSync(inRoot(path))
  return `${(mode & 0o7777).toString(8)} ${uid}`
}
/** The number of a user in the other system. */
const uidOf = (name: string): number =>
  Number(new RegExp(`^${name}:[^:]*:(\\d+):`, 'm').exec(read('etc/passwd'))?.[1] ?? Number.NaN)

/** This machine's users with a name of the service. Other tests make and remove users at the same time. */
const ownUsers = (): readonly string[] =>
  readFileSync('/etc/passwd', 'utf8').match(/^hookgate(?:-agent|-hooks)?:.*$/gm) ?? []

describe('as root', needs('root', 'useradd', 'userdel'), () => {
  test('install makes users, folders and the unit; the same again does nothing; uninstall takes all of it', () => {
    const before = ownUsers()
    const dry = service(['install', '--dry-run'])
    expect(dry).toEqual({ status: 0, said: expect.stringContaining('not carried out') })
    expect(existsSync(inRoot('var'))).toBe(false)

    const unasked = service(['install'])
    expect(unasked).toEqual({ status: 1, said: expect.stringContaining('Add --yes') })
    expect(read('etc/passwd').split('\n')).toHaveLength(2)

    const first = service(['install', '--yes'])
    expect(first.status, first.said).toBe(0)
    expect(first.said).toContain(
      `useradd --prefix ${root} --system --user-group --create-home hookgate-agent`,
    )
    const uids = ['hookgate', 'hookgate-agent', 'hookgate-hooks'].map(uidOf)
    expect(new Set(uids.filter((uid) => uid > 0)).size).toBe(3)
    expect(rightsOf('var/lib/hookgate')).toBe(`711 ${uids[0]}`)
    expect(rightsOf('var/lib/hookgate/gate')).toBe(`711 ${uids[0]}`)
    expect(rightsOf('var/lib')).toBe('755 0')
    expect(rightsOf('etc/hookgate.env')).toBe('600 0')
    expect(read('etc/systemd/system/hookgate.service')).toContain(
      `\nExecStart=${process.execPath} ${cli} start\n`,
    )
    expect(existsSync(inRoot('home/hookgate-agent'))).toBe(true)

    const again = service(['install', '--yes'])
    expect(again).toEqual({ status: 0, said: expect.stringContaining('Nothing is left to do.') })
    expect(again.said.match(/done already/g)?.length).toBeGreaterThanOrEqual(7)
    expect(service(['status'])).toEqual({
      status: 2,
      said: expect.stringContaining(`user     hookgate: there, number ${uids[0]}\n`),
    })

    // A gate has begun there.
    writeFileSync(inRoot('var/lib/hookgate/gate/ledger.jsonl'), 'x')
    const held = service(['uninstall', '--yes'])
    expect(held.status, held.said).toBe(0)
    expect(held.said).toContain("The gate's folder stays")
    expect(existsSync(inRoot('etc/systemd/system/hookgate.service'))).toBe(false)
    expect(read('var/lib/hookgate/gate/ledger.jsonl')).toBe('x')
    expect(uidOf('hookgate')).toBe(uids[0])

    rmSync(inRoot('var/lib/hookgate'), { recursive: true })
    const gone = service(['uninstall', '--yes'])
    expect(gone.status, gone.said).toBe(0)
    expect(read('etc/passwd')).toBe('root:x:0:0:root:/root:/bin/sh\n')
    expect(existsSync(inRoot('home/hookgate-agent'))).toBe(false)
    // The machine that runs this test has no part in it.
    expect(ownUsers()).toEqual(before)
  })

  test('users that gate.yaml names are made in place of the usual ones', () => {
    mkdirSync(inRoot('var/lib/hookgate/gate'), { recursive: true })
    writeFileSync(
      inRoot('var/lib/hookgate/gate/gate.yaml'),
      'agents: {main: {kind: demo, user: builder}}\nhooks: {user: guards}\n',
    )
    const { status, said } = service(['install', '--yes'])
    expect(status, said).toBe(0)
    expect(['hookgate', 'builder', 'guards'].map((name) => uidOf(name) > 0)).toEqual([true, true, true])
    expect(uidOf('hookgate-agent')).toBeNaN()
  })

  test('a step that fails is named with what its program said, and the same command goes on later', () => {
    writeFileSync(inRoot('etc/systemd'), 'in the way')
    const failed = service(['install', '--yes'])
    expect(failed.status).toBe(1)
    expect(failed.said).toContain(
      `Expected this step to work: write ${root}/etc/systemd/system/hookgate.service`,
    )
    expect(failed.said).toContain('steps that are done are skipped')
    rmSync(inRoot('etc/systemd'))
    expect(service(['install', '--yes']).status).toBe(0)
  })

  test('who is not root is told the command, and nothing is made', () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const { status, said } = service(['install', '--yes'], nobody)
    expect([status, said]).toEqual([
      1,
      expect.stringMatching(
        /Nothing was changed: only root may do that. Run it as root: sudo .* service install --yes\n$/,
      ),
    ])
  })
})

test('systemd finds nothing wrong with the unit', needs('root', 'useradd', 'systemd-analyze'), () => {
  expect(service(['install', '--yes']).status).toBe(0)
  const { status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', inRoot('etc/systemd/system/hookgate.service')],
    {
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  expect([status, stderr]).toEqual([0, ''])
})

test('the status asks the gate, bounds what it answers, and ends with 0 when it works', async () => {
  let answer: readonly [number, string] = [200, 'ok']
  const server = createServer((_, response) => {
    response.writeHead(answer[0])
    response.end(answer[1])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const ask = () => askReady(`http://127.0.0.1:${port}/readyz`, '127.0.0.1')
    expect(await ask()).toEqual({ isReady: true, words: 'ok' })
    answer = [503, `It starts.\u001B[31m\n${'x'.repeat(10_000_000)}`]
    expect(await ask()).toEqual({ isReady: false, words: 'It starts. [31m' })
    server.close()
    server.closeAllConnections()
    expect(await ask()).toBeUndefined()
  } finally {
    server.close()
  }
})
