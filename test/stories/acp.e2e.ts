import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { alive } from '../process-list.ts'
import { agentHost, arm, findChild, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'

const agent = fileURLToPath(new URL('../fixtures/acp/agent.ts', import.meta.url))

let api: BotApi
let program: Program
let phone: Chat

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram({ ...ownedEnv(api), AGENT_KEY: 'key of the agent' }, undefined, {
    prepare: (home) => {
      mkdirSync(join(home, '.hookgate'), { recursive: true })
      writeFileSync(
        join(home, '.hookgate/gate.yaml'),
        JSON.stringify({
          agents: { main: { kind: 'acp', command: [process.execPath, agent], env: ['AGENT_KEY'] } },
        }),
      )
    },
  })
  phone = openPhone(api)
  await arm(program, phone, [
    {
      event: 'pre_tool_call',
      command: './.hookgate-examples/block_destructive.sh',
      files: ['./.hookgate-examples/shell_reader.py'],
      on_error: 'block',
    },
  ])
}, 120_000)
afterAll(async () => {
  await program.remove()
  await api.stop()
})

describe('an agent of the Agent Client Protocol behind the gate, steered over Telegram', () => {
  test('it is asked and answers, with its own key and a home in the workspace', async () => {
    await phone.ask(
      'env AGENT_KEY\nenv HOME',
      new RegExp(`^AGENT_KEY=key of the agentHOME=${join(program.workspace, '.hookgate/home')}$`),
    )
  })

  test('its commands run in the workspace, and a destructive one does not', async () => {
    await put(program, 'keep.txt', 'keep')
    await phone.ask('run cat keep.txt', /ran 0: keep/)
    await phone.ask('run rm -rf /', /failed: This call was refused and did not run: Blocked as destructive/)
    expect(await readFile(join(program.workspace, 'keep.txt'), 'utf8')).toBe('keep')
  })

  test('what it asks permission for is one question on the phone: a yes runs it, a no is told', async () => {
    const from = phone.texts().length
    // Answered or not.
    const questions = (): number =>
      phone
        .texts()
        .slice(from)
        .filter((text) => /main · bash/.test(text)).length
    await phone.ask('twice echo ok', /│ command: echo ok\nmain · bash · denied at/)
    await api.read()
    api.tap('Allow once')
    await until('the answer', () =>
      phone
        .texts()
        .slice(from)
        .some((text) => text.includes('asked once, ran 0: ok')),
    )
    expect(questions()).toBe(1)
    await phone.ask('ask touch never', /│ command: touch never\nmain · bash · denied at/)
    await api.read()
    api.tap('Deny')
    await until('the no', () =>
      phone
        .texts()
        .slice(from)
        .some((text) => text.includes('asked no')),
    )
    expect(phone.texts().slice(from).join()).toContain('I did not run bash: The person said no')
  })

  test('a command of its own is reached with two strokes, and one of ours with one', async () => {
    await phone.ask('//memory show', /^\[\/memory show\]$/)
    await phone.ask('/whoami', /telegram:7/)
  })

  test('/stop ends what it runs, /new begins another conversation', async () => {
    api.say('run sleep 62.3; touch late.txt')
    await until('the command to run', () => alive().some(({ command }) => command.includes('sleep 62.3')))
    await phone.ask('/stop', /^Stopped\.$/)
    await until('the command to end', () => alive().every(({ command }) => !command.startsWith('sleep 62.3')))
    await expect(stat(join(program.workspace, 'late.txt'))).rejects.toThrow('ENOENT')
    await phone.ask('/new', /./)
    await phone.ask('recall', /^recall$/)
  })

  test('it dies with its host, and its conversation is taken up by the next one', async () => {
    const host = await findChild(program, agentHost)
    const own = () => alive().filter(({ command }) => command.includes(agent) && !command.includes('bwrap'))
    const before = new Set(own().map(({ pid }) => pid))
    expect(before.size).toBeGreaterThan(0)
    process.kill(host.pid, 'SIGKILL')
    await until('the agent to end', () => own().every(({ pid }) => !before.has(pid)))
    await phone.ask('recall', /^loaded\|recall$/)
  })
})
