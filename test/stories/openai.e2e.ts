import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { alive } from '../process-list.ts'
import { agentHost, arm, findChild, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { inTurn, startModel, type ScriptedModel } from '../fixtures/model/model.ts'
import type { Said } from '../fixtures/model/wire.ts'

const key = 'sk-story-key-of-the-endpoint'
const secret = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const rewriter = `#!/bin/sh
exec python3 -I /dev/fd/3 3<<'PY'
import json, sys
command = json.load(sys.stdin)["tool_input"].get("command", "")
if "echo publish" in command and "--dry-run" not in command:
    print(json.dumps({"tool_input": {"command": command.replace("echo publish", "echo publish --dry-run")}}))
PY
`

let api: BotApi
let model: ScriptedModel
let program: Program
let phone: Chat

const bash = (...commands: readonly string[]): Said => ({
  toolCalls: commands.map((command) => ({ name: 'bash', input: { command } })),
})
const results = (): string => (model.asked.at(-1)?.toolResults ?? []).map(({ text }) => text).join('\n')
const turnsOver = (): Promise<unknown> => until('the agent to be done', () => api.pending().length === 0)

beforeAll(async () => {
  api = await startBotApi({ token })
  model = await startModel(() => ({ text: 'Hello.' }))
  program = await startProgram({ ...ownedEnv(api), MODEL_KEY: key }, undefined, {
    prepare: (home) => {
      mkdirSync(join(home, '.hookgate'), { recursive: true })
      writeFileSync(
        join(home, '.hookgate/gate.yaml'),
        `agents:\n  main: {kind: openai, base_url: "${model.url}/v1", model: some-model, api_key_env: MODEL_KEY, max_steps: 10, context_tokens: 16000}\n`,
      )
    },
  })
  phone = openPhone(api)
  await put(program, 'dry_run.sh', rewriter)
  await arm(program, phone, [
    {
      event: 'pre_tool_call',
      command: './.hookgate-examples/block_destructive.sh',
      files: ['./.hookgate-examples/shell_reader.py'],
      on_error: 'block',
    },
    { event: 'pre_tool_call', command: './dry_run.sh', on_error: 'block' },
    { event: 'on_outbound_message', command: './.hookgate-examples/block_secrets.py', on_error: 'block' },
    { event: 'on_completion_claim', command: './.hookgate-examples/check_publish.sh', on_error: 'block' },
  ])
}, 120_000)
afterAll(async () => {
  await program.remove()
  await model.stop()
  await api.stop()
})

describe('a model with tools behind the gate, steered over Telegram', () => {
  test('the person asks, the model answers, and the chat shows that it works meanwhile', async () => {
    model.follow(inTurn({ text: 'It is **noon**.' }))
    await phone.ask('What time is it?', /^It is noon\.$/)
    expect(api.calls('sendChatAction').length).toBeGreaterThan(0)
    expect(model.asked.at(-1)).toMatchObject({
      system: expect.stringContaining('name: agent-hooks'),
      headers: { authorization: `Bearer ${key}` },
    })
  })

  test('a tool runs with the input that a hook rewrote', async () => {
    model.follow(inTurn(bash('echo publish'), { text: 'That was a dry run.' }))
    await phone.ask('publish the package', /dry run/)
    expect(results()).toBe('publish --dry-run\n')
  })

  test('a destructive command is blocked, the model is told why, and goes on without it', async () => {
    await put(program, 'old/keep.txt', 'keep')
    model.follow(
      inTurn(bash('rm -rf /'), bash('rm old/keep.txt && echo cleaned'), {
        text: 'I removed only the old file.',
      }),
    )
    await phone.ask('clean up', /only the old file/)
    expect(
      model.asked
        .at(-2)
        ?.toolResults.map(({ text }) => text)
        .join(),
    ).toContain('I did not run bash: Blocked as destructive: rm -r of /')
    expect(results()).toBe('cleaned\n')
    await expect(stat(join(program.workspace, 'old/keep.txt'))).rejects.toThrow('ENOENT')
  })

  test('a secret that the model says, or sends as a file, never reaches the chat', async () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`
    model.follow(
      inTurn(
        {
          toolCalls: [
            { name: 'write_file', input: { path: 'id.txt', content: pem } },
            { name: 'send_file', input: { path: 'id.txt' } },
            { name: 'push', input: { text: pem } },
          ],
        },
        { text: `Here it is:\n${pem}` },
        { text: 'I cannot show it.' },
      ),
    )
    const from = phone.texts().length
    await phone.ask('show me the key', /I cannot show it/)
    // The last question came after the withheld answer.
    expect(
      model.asked
        .at(-2)
        ?.toolResults.map(({ text }) => text)
        .join('\n'),
    ).toMatch(/withheld by a hook.*withheld by a hook/s)
    expect(phone.texts().slice(from).join()).toContain('block_secrets.py')
    await turnsOver()
    expect(api.bodies().filter((body) => body.includes(secret.slice(0, 30)))).toEqual([])
  })

  test('a false "published" is refused and corrected', async () => {
    model.follow((turn) => ({
      text:
        turn.messages.at(-1)?.text.includes('was refused') === true
          ? 'I was wrong: the page exists only here. Shall I go on?'
          : 'Your site is published at https://ada.example/.',
    }))
    const from = phone.texts().length
    await phone.ask('put my site online', /I was wrong/)
    expect(phone.texts().slice(from).join()).not.toContain('is published at')
    expect(model.asked.at(-1)?.messages.at(-1)?.text).toContain('no publish tool succeeded in this session')
  })

  test('/stop ends a running command with all it started', async () => {
    model.follow(inTurn(bash('sleep 61.7 & sleep 61.7; touch late.txt'), { text: 'I was stopped.' }))
    api.say('wait a minute')
    await until(
      'the command to run',
      () => alive().filter(({ command }) => command.includes('sleep 61.7')).length >= 2,
    )
    await phone.ask('/stop', /^Stopped\.$/)
    await until('the command to end', () => alive().every(({ command }) => !command.includes('sleep 61.7')))
    await phone.ask('what happened?', /I was stopped/)
    expect(results()).toBe('The person stopped this call before it ended.')
    await expect(stat(join(program.workspace, 'late.txt'))).rejects.toThrow('ENOENT')
  })

  test('what is written while the agent works reaches it at its next step; /compact says how much is kept', async () => {
    model.follow(inTurn(bash('until test -e go.txt; do sleep 0.1; done'), { text: 'I did both.' }))
    api.say('wait for the file')
    await until('the command to run', () => alive().some(({ command }) => command.includes('test -e go.txt')))
    api.say('and sing')
    await phone.ask('/goal', /^I have no goal/)
    writeFileSync(join(program.workspace, 'go.txt'), '')
    await until('the answer', () => phone.texts().at(-1) === 'I did both.')
    expect(model.asked.at(-1)?.messages.at(-1)?.text).toBe('and sing')
    model.follow(() => ({ text: 'They sang.' }))
    await phone.ask('/compact', /^I compacted our conversation from about \d+ tokens to about \d+\.$/)
  })

  test('a goal is worked on until a claim passes', async () => {
    model.follow(
      inTurn({ text: 'I begin.' }, bash('echo built'), {
        toolCalls: [{ name: 'done', input: { summary: 'The page is built.' } }],
      }),
    )
    await phone.ask('/goal build the page', /^The page is built\.$/)
    expect(
      model.asked
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join(),
    ).toContain('The person set this goal: build the page')
    await phone.ask('/goal', /^I have no goal/)
  })

  test('a subagent does a part of the work behind the same hooks', async () => {
    model.follow((turn) => {
      if (turn.system.includes('You are a subagent of the agent'))
        return turn.toolResults.length === 0
          ? bash('rm -rf ~')
          : { text: `It was refused: ${turn.toolResults[0]?.text}` }
      return turn.toolResults.length === 0
        ? { toolCalls: [{ name: 'subagent', input: { task: 'clean everything' } }] }
        : { text: `My helper says: ${turn.toolResults[0]?.text}` }
    })
    await phone.ask(
      'let somebody clean up',
      /^My helper says: It was refused: I did not run bash: Blocked as destructive/,
    )
  })

  test('a long conversation is compacted and goes on', async () => {
    model.follow((turn) => ({
      text: turn.system.startsWith('You summarize')
        ? 'We spoke of a fox.'
        : `I was sent ${
            turn.messages
              .map(({ text }) => text)
              .join(' ')
              .includes('We spoke of a fox.')
              ? 'a summary'
              : 'everything'
          }.`,
    }))
    for (let at = 0; at < 25; at++) {
      const from = phone.texts().length
      api.say(`${at} ${'the fox '.repeat(480)}`)
      if ((await phone.reply(/^I was sent/, from)).includes('a summary')) break
    }
    expect(phone.texts().at(-1)).toBe('I was sent a summary.')
  })

  test('an endpoint that fails is told in plain words, and the next message goes on', async () => {
    model.follow(inTurn({ fault: 'status', status: 401, body: '{"error":{"message":"expired"}}' }))
    await phone.ask(
      'hello?',
      /^The model's endpoint rejected the key \(401\)\. It says: expired\nCheck the variable/,
    )
    model.follow(inTurn({ text: 'Here again.' }))
    await phone.ask('and now?', /^Here again\.$/)
  })

  test('the key of the endpoint is nowhere in the agent: not in its environment, its files or what its tools see', async () => {
    model.follow(
      inTurn(
        bash(
          'env; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr "\\0" "\\n"; cat ~/.hookgate/gate.yaml; true',
        ),
        { text: 'nothing' },
      ),
    )
    await phone.ask('look for the key', /nothing/)
    expect(results()).not.toContain(key)
    const host = await findChild(program, agentHost)
    const environ = await readFile(`/proc/${host.pid}/environ`, 'utf8').catch(() => '')
    expect(environ).not.toContain(key)
  })
})
