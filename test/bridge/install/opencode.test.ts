import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runInstall } from '../../../src/bridge/install/run.ts'

interface Hooks {
  readonly 'tool.execute.before': (input: object, output: { args: object }) => Promise<void>
}

const plugin = await readFile(resolve(import.meta.dirname, '../../../config/bridge/opencode.js'), 'utf8')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-opencode-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** The plugin as it is installed, over a bridge that is this script. */
const installed = async (bridge: string): Promise<Hooks> => {
  writeFileSync(join(home, 'program'), `#!/bin/sh\ncat > /dev/null\n${bridge}\n`, { mode: 0o755 })
  await runInstall(['install', 'opencode'], {
    places: { home, project: home, env: {}, machine: { root: home, platform: 'linux' } },
    gateHome: join(home, '.hookgate'),
    isUsualHome: true,
    program: { words: [join(home, 'program')], full: [join(home, 'program')], isOnPath: false },
    isRunning: () => Promise.resolve(false),
    plugin: () => plugin,
    say: () => undefined,
  })
  const made: { Hookgate(context: object): Promise<Hooks> } = await import(
    pathToFileURL(join(home, '.config/opencode/plugins/hookgate.js')).href
  )
  return await made.Hookgate({ directory: '/', client: {} })
}

test("OpenCode runs the call that was judged, wherever the bridge's answer is cut on its way", async () => {
  const { 'tool.execute.before': before } = await installed(
    String.raw`printf '{"args":{"command":"\303'; sleep 0.3; printf '\274\360\237'; sleep 0.3; printf '\230\200"}}'`,
  )
  const output = { args: { command: 'ls', timeout: 1 } }
  await before({ tool: 'bash', sessionID: 's', callID: 'c' }, output)
  expect(output.args).toEqual({ command: 'ü😀' })
})

test('What the bridge says no to, what it does not say whole and what ends otherwise does not run', async () => {
  for (const [bridge, why] of [
    ['echo \'{"deny":"not that"}\'', 'not that'],
    ['printf \'{"args":\'', 'could not judge'],
    ['echo "{}"; exit 1', 'could not judge'],
    ['kill -9 $$', 'could not judge'],
  ] as const) {
    const { 'tool.execute.before': before } = await installed(bridge)
    await expect(before({ tool: 'bash', sessionID: 's', callID: 'c' }, { args: {} })).rejects.toThrow(why)
  }
})
