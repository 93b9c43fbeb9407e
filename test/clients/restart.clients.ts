import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cli, startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { inTurn, startModel, type ScriptedModel } from '../fixtures/model/model.ts'
import type { ScriptedCall } from '../fixtures/model/wire.ts'
import { cacheFolder } from './cache.ts'
import { claudeCode, type Stage } from './clients.ts'
import { judge, offline, runProgram } from './rig.ts'

const done = { text: 'All is said.' }
const labelled = (...labels: readonly string[]) => labels.map((label) => ({ label, description: label }))
const asksClaude: ScriptedCall = {
  name: 'AskUserQuestion',
  input: {
    questions: [
      { question: 'Which colour?', header: 'Colour', multiSelect: false, options: labelled('Red', 'Blue') },
      { question: 'Which part?', header: 'Part', multiSelect: false, options: labelled('Door', 'Roof') },
    ],
  },
}

// The gate is a process of its own here, and the owner's chat is Telegram's.
describe('claude-code by command, and kill -9 of the gate', { timeout: 180_000 }, () => {
  let [api, model] = [] as unknown as [BotApi, ScriptedModel]
  let program: Program
  let stage: Stage
  let from = 0
  const made = (): boolean => existsSync(join(stage.project, 'made'))
  const texts = (): readonly string[] => api.texts(7).slice(from)
  /** What the chat shows of the newest card. */
  const card = (words: string): Promise<string> =>
    until(`a card with ${words}`, () => texts().findLast((text) => text.includes(words)), 60_000)
  const hasty = 'this card has only just appeared'
  const refusals = (): number => texts().filter((text) => text.includes(hasty)).length
  /** Taps until it counts: a card that was drawn again takes no tap for a moment. */
  const tap = async (words: string, label: string): Promise<void> => {
    const isShown = (): boolean => texts().some((text) => text.includes(words))
    await card(words)
    while (isShown()) {
      const before = refusals()
      await api.read()
      api.tap(label)
      await until('what came of the tap', () => refusals() > before || !isShown(), 60_000)
    }
  }
  /** The gate dies while this card stands, and comes back. */
  const killed = async (words: string): Promise<void> => {
    await card(words)
    // The bridge takes a gate that has judged for a second for one that waits for a person.
    await api.read()
    await program.kill()
    program = await program.again()
  }

  beforeAll(async () => {
    api = await startBotApi({ token })
    model = await startModel(() => done)
    program = await startProgram(ownedEnv(api))
    await put(program, 'judge.sh', judge)
    await arm(program, openPhone(api), [{ event: 'pre_tool_call', command: './judge.sh', timeout: 10 }])
    const [home, project] = [join(program.home, 'claude'), join(program.home, 'project')]
    for (const folder of [home, project]) mkdirSync(folder)
    stage = { home, project, model: model.url, cache: cacheFolder }
    const env = { HOME: home, HOOKGATE_HOME: program.gate }
    const words = [process.execPath, cli, 'bridge', 'install', 'claude-code']
    expect((await runProgram(words, project, env)).code).toBe(0)
  })
  afterAll(async () => {
    await program.remove()
    await model.stop()
    await api.stop()
  })
  beforeEach(() => {
    from = api.texts(7).length
    rmSync(join(stage.project, 'made'), { force: true })
  })

  /** Runs Claude Code. `resumed`: the session to go on with, without a prompt. */
  const run = async (call?: ScriptedCall, resumed?: string) => {
    const before = model.asked.length
    model.follow(call === undefined ? () => done : inTurn({ toolCalls: [call] }, done))
    const prompt = 'please do it'
    const words = claudeCode
      .command(stage, prompt)
      .flatMap((word) =>
        word !== prompt ? [word] : resumed === undefined ? [prompt] : ['--resume', resumed],
      )
    const { output } = await runProgram([...words, '--permission-prompt-tool', 'stdio'], stage.project, {
      HOME: stage.home,
      ...offline,
      ...claudeCode.env(stage),
    })
    const told = model.asked.slice(before).flatMap(({ toolResults }) => toolResults.map(({ text }) => text))
    return { output, told }
  }
  const touch = claudeCode.shell('touch made # ask-me')

  test('a call that waits for a yes: the bridge asks again, and the yes after the restart lets it run', async () => {
    const running = run(touch)
    await killed('claude-code · bash · denied at')
    await tap('claude-code · bash · denied at', 'Allow once')
    const { output } = await running
    expect(made(), output).toBe(true)
    expect(texts().filter((text) => text.includes('claude-code · bash · denied at'))).toEqual([])
  })

  test('questions of its model: what was answered before the restart stands, and the rest is answered after it', async () => {
    const running = run(asksClaude)
    await tap('claude-code asks you (1 of 2)', '2')
    await killed('claude-code asks you (2 of 2)')
    await tap('claude-code asks you (2 of 2)', '1')
    await tap('Your answers to claude-code', 'Send')
    const { told, output } = await running
    expect(told[0], output).toContain('"Which colour?"="Blue", "Which part?"="Door"')
  })

  describe('that nobody answered in time', () => {
    beforeAll(() => {
      const settings = join(stage.home, '.claude/settings.json')
      const text = readFileSync(settings, 'utf8')
      const hasty = text.replaceAll(/(PreToolUse .*?--deadline )\d+/g, '$16')
      expect(hasty).not.toBe(text)
      writeFileSync(settings, hasty)
    })
    const left = async (call: ScriptedCall): Promise<string> => {
      const { output } = await run(call)
      expect(output).toContain('tool_deferred')
      await killed('Claude Code has stopped waiting.')
      return (JSON.parse(output.slice(output.indexOf('{'))) as { session_id: string }).session_id
    }

    test('a parked call outlives the restart: the yes counts for the resumed session, once', async () => {
      const session = await left(touch)
      await tap('Claude Code has stopped waiting.', 'Allow once')
      await card('Allowed once by you.')
      const { output } = await run(undefined, session)
      expect(made(), output).toBe(true)
    })

    test('parked questions outlive it, too, and the resumed session gets the answers', async () => {
      const session = await left(asksClaude)
      await tap('claude-code asks you (1 of 2)', '2')
      await tap('claude-code asks you (2 of 2)', '1')
      await killed('Your answers to claude-code')
      await tap('Your answers to claude-code', 'Send')
      await card('Answered by you.')
      const { output, told } = await run(undefined, session)
      expect(told[0], output).toContain('"Which colour?"="Blue", "Which part?"="Door"')
    })
  })
})
