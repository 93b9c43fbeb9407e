import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkConfig } from '../../src/compose/verbs/check.ts'

let root: string
let home: string
let workspace: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-check-'))
  home = path.join(root, 'gate')
  workspace = path.join(root, 'work')
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const put = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}
const check = (env: Record<string, string> = {}) =>
  checkConfig({ HOOKGATE_HOME: home, HOOKGATE_WORKSPACE: workspace, XDG_CONFIG_HOME: root, ...env })
const tree = (): readonly string[] => fs.readdirSync(root, { recursive: true }).map(String).toSorted()

test('without any file, it says what would start, and makes nothing', async () => {
  expect(await check()).toEqual({
    isGood: true,
    text: [
      `gate.yaml: ${home}/gate.yaml (there is none, so the defaults are used)`,
      `Workspace: ${workspace} (the first start makes it)`,
      'Agents: main (demo)',
      'Messengers: web page on 127.0.0.1:8787, no Telegram, as its token is not set',
      'Owners at a first start: the first person who pairs or opens the page',
      'Nothing is wrong.',
    ].join('\n'),
  })
  expect(tree()).toEqual([])
})

test('everything that is wrong with gate.yaml, the environment and the workspace is told at once, and nothing changes', async () => {
  put(path.join(home, 'gate.yaml'), 'agent: {}\nagents: {main: {kind: acp, command: "gemini \'"}}\n')
  put(
    path.join(workspace, 'config/shell_hooks.yaml'),
    'hooks:\n  - {event: pre_tol_call, command: ./x.sh}\n  - {event: on_stop, command: ./nope.sh}\n',
  )
  const before = tree()
  const { text, isGood } = await check({ HOOKGATE_PORT: 'a', HOOKGATE_OWNER: 'telegram:7' })
  expect(isGood).toBe(false)
  expect(text.split('\n').map((line) => line.replace(/, got .*/, ''))).toEqual([
    `✗ ${home}/gate.yaml:1:1: Expected only known options under "gate.yaml"`,
    '✗ Expected HOOKGATE_PORT to be a port from 0 to 65535',
    '✗ config/shell_hooks.yaml:2: Expected "hooks[0].event" to be the name of an event',
    '✗ config/shell_hooks.yaml: Expected "nope.sh" to be a regular file that can be sealed',
    '⚠ hookgate reads no variable HOOKGATE_OWNER. Did you mean HOOKGATE_OWNERS?',
    '4 problems. hookgate does not start before the first 2 are corrected.',
  ])
  expect(tree()).toEqual(before)
})

test('a command whose quotes are not closed is told with its line', async () => {
  put(path.join(home, 'gate.yaml'), '# mine\nagents: {main: {kind: acp, command: "gemini \'"}}\n')
  expect((await check()).text).toMatch(
    /^✗ \S+gate\.yaml:2:28: Expected "agents\.main\.command" to be a command whose quotes are closed, got "gemini '" \(string\)\. /,
  )
})

test('hooks that cannot be approved are wrong, and do not keep hookgate from starting', async () => {
  put(path.join(workspace, 'x.sh'), '#!/bin/sh\n')
  fs.chmodSync(path.join(workspace, 'x.sh'), 0o755)
  put(
    path.join(workspace, 'config/shell_hooks.yaml'),
    'hooks:\n  - {event: on_stop, command: ./x.sh}\n  - {event: on_stop, command: ./nope.sh}\n',
  )
  put(path.join(workspace, 'config/agent.yaml'), 'shell_hooks: [')
  const { text, isGood } = await check()
  expect(isGood).toBe(false)
  expect(text).toContain('\nHooks: 2 proposed, 1 can be approved\n')
  expect(text).toContain('\n⚠ config/agent.yaml does not say whether hooks are on')
  expect(text).toMatch(
    /\n1 problem\. hookgate starts, and the hooks that are named above cannot be approved\.$/,
  )
})

test('variables that gate.yaml names and nobody set are remarks', async () => {
  put(
    path.join(home, 'gate.yaml'),
    'agents: {main: {kind: openai, base_url: "https://x/v1", model: m, api_key_env: MY_KEY}}\nhooks: {env: [RULES]}\n',
  )
  const { text, isGood } = await check()
  expect(isGood).toBe(true)
  expect(text).toContain(
    '⚠ MY_KEY, the key of the agent main, is not set.\n⚠ RULES, which hooks may have, is not set.',
  )
  expect(text).toContain('\nAgents: main (openai)\n')
})
