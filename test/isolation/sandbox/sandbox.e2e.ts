import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startAsGate, type StartAs } from '../../../src/shared/gate/separation.ts'
import { until } from '../../until.ts'
import { findAs } from '../find-as.ts'
import { isRoot, makePeople } from '../people.ts'
import { makeWorld, openings, type World } from '../world.ts'

const people = isRoot ? makePeople('person') : undefined
afterAll(() => people?.remove())
let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const kinds = ['bwrap', 'unshare'] as const
const users = isRoot ? (['root', 'person'] as const) : (['oneself'] as const)

describe.each(users.flatMap((who) => kinds.map((kind) => [kind, who] as const)))(
  'a sandbox made by %s for %s',
  (kind, who) => {
    const user = (): StartAs['user'] => {
      if (who !== 'person' || people === undefined) return undefined
      const { uid, gid } = people.of('person')
      return { uid, gid }
    }

    test('holds against whoever is in it, who can still work', async () => {
      world = await makeWorld(user())
      const socket = await world.listen('run/main.sock')
      for (const name of ['run/other.sock', 'run/hooks/s']) await world.listen(name)
      const gate = world.bystander()
      const { by, startAs = startAsGate, why } = findAs(world, user(), kind, socket)
      expect([by, why]).toEqual([kind, undefined])
      const findings = await world.intrude(startAs)
      expect(openings(findings)).toEqual([])
      expect(findings).toMatchObject({
        'its own socket': 'works',
        'its own workspace': 'works',
        'its own home': 'works',
        'run ~/tools/bin/tool': 'runs',
        'run ~/.local/bin/mine': 'runs',
        'process 0 is seen': 'not seen',
      })
      expect(Object.keys(findings).length).toBeGreaterThan(55)
      expect([gate.exitCode, gate.signalCode]).toEqual([null, null])
    })

    test('shows hooks of the gate nothing but what they are and what they need, to read', async () => {
      world = await makeWorld(user())
      await world.listen('run/hooks/s')
      await world.listen('run/main.sock')
      const gate = world.bystander()
      const { by, startAs = startAsGate, why } = findAs(world, user(), kind)
      expect([by, why]).toEqual([kind, undefined])
      const findings = await world.intrude(startAs)
      // What lies below the machine's /tmp and is shown has a place in theirs: a home, the checkout and its
      // packages.
      const root = path.resolve(import.meta.dirname, '../../..')
      const below = [root, path.join(root, 'node_modules')].map(
        (place) => path.relative('/tmp', fs.realpathSync(place)).split('/')[0] ?? '',
      )
      const shown = [path.basename(world?.userHome ?? ''), ...below].filter((name) => name !== '..')
      const seen = openings(findings).map((line) =>
        shown.reduce((rest, name) => rest.replace(` ${name}`, ''), line),
      )
      expect(seen).toEqual([
        'list .: OPEN: "files hooks seal"',
        'list seal: OPEN: "abc"',
        'list run: OPEN: "git hooks python transcripts"',
        'list run/hooks: OPEN: "s"',
        ...ownFolders,
      ])
      expect(findings).toMatchObject({
        'its own socket': 'works',
        'its own workspace': 'works',
        'its own home': 'does not work',
        'run ~/tools/bin/tool': 'runs',
        'process 0 is seen': 'not seen',
      })
      expect([gate.exitCode, gate.signalCode]).toEqual([null, null])
    })

    test('ends with all that was started in it, whatever that did to stay', async () => {
      world = await makeWorld(user())
      const { startAs = startAsGate } = findAs(world, user(), kind, await world.listen('run/main.sock'))
      // Of this run alone, whatever another one left behind.
      const sleeper = `sleep ${90_000 + randomInt(9999)}`
      const alive = (): readonly string[] =>
        execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
          .split('\n')
          .filter((line) => line === sleeper)
      const script = `const { spawn } = require('node:child_process'); const { spawnSync } = require('node:child_process'); process.setuid
      const [file, ...args] = ${JSON.stringify([...startAs.prefix, '/bin/sh', '-c', `setsid ${sleeper} & setsid -f ${sleeper}; ${sleeper}`])}
      spawn(file, args, { ...${JSON.stringify(startAs.user ?? {})}, detached: true, stdio: ['pipe', 'ignore', 'inherit'] }); setInterval(() => {}, 1000)`
      const { spawn } = await import('node:child_process')
      const gate = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit'] })
      await until('three of them', () => alive().length === 3)
      gate.kill('SIGKILL')
      await until('the end of all', () => alive().length === 0)
    })
  },
)

/** What hooks may do with the folders that are theirs; whoever is not one of them is held. */
const ownFolders = [
  ['home', 'log.txt'],
  ['tmp', 'agent.log'],
].flatMap(([name, listed]) => [
  `list hooks/${name}: OPEN: ${JSON.stringify(listed)}`,
  `write hooks/${name}/planted: OPEN: "written"`,
])

test('without a sandbox the same intruder gets nearly everything, so that the above means something', async () => {
  world = await makeWorld()
  for (const name of ['run/main.sock', 'run/other.sock']) await world.listen(name)
  world.bystander()
  const open = openings(await world.intrude(startAsGate)).map((line) => line.split(': OPEN')[0])
  expect(open).toEqual(
    expect.arrayContaining([
      'read secrets/ledger.key',
      'read ledger.jsonl',
      'read state.db',
      'list secrets',
      'write planted',
      'write seal/planted',
      'write gate.yaml',
      "move the gate's folder",
      "move what is above the gate's folder",
      'move the code',
      "write hookgate's src/cli.ts",
      'process 0: environ',
      'process 0: maps',
      'process 0: ptrace',
      'process 0: SIGSTOP',
      'process 0: SIGKILL',
      'connect run/other.sock',
      'share memory with the gate',
      'write ~/.bashrc',
      'write ~/.profile',
      'write ~/.npmrc',
      'write ~/.local/bin/planted',
      'read ~/notes.txt',
      'read ~/.config/chromium/Default/Cookies',
      'write ~/tools/bin/tool',
      'mount anew, to be written: package.json',
    ]),
  )
})
