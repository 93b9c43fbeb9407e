import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACP_AGENTS } from '../clients/acp-agents.ts'
import { cacheFolder } from '../clients/cache.ts'
import { judge, offline } from '../clients/rig.ts'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startModel, type ScriptedModel } from '../fixtures/model/model.ts'
import { installPackages } from '../packages.ts'

await installPackages('test/clients')

const [gemini] = ACP_AGENTS
if (gemini === undefined) throw new Error('There is no Gemini CLI.')

/** The shell line that a hook asks about. */
const line = 'touch made # ask-me'

// An agent of gate.yaml ends with its gate, so it asks again only when its person tells it to go on.
describe.each([['the real Gemini CLI by ACP'], ['the demo agent'], ['an agent with a model']])(
  'kill -9 of the gate while %s waits for a yes',
  { timeout: 120_000 },
  (name) => {
    const [isGemini, isDemo] = [name.includes('Gemini'), name.includes('demo')]
    let [api, model] = [] as unknown as [BotApi, ScriptedModel]
    let program: Program
    let phone: Chat
    const made = (): boolean => existsSync(join(program.workspace, 'made'))
    const go = isDemo ? `!${line}` : 'please do it'

    beforeAll(async () => {
      api = await startBotApi({ token })
      model = await startModel(({ messages, toolResults, toolNames }) =>
        toolNames.length > 0 && toolResults.length === 0 && messages.at(-1)?.text.includes('please') === true
          ? { toolCalls: [isGemini ? gemini.shell(line) : { name: 'bash', input: { command: line } }] }
          : { text: 'All is said.' },
      )
      const stage = (home: string) => ({
        home: join(home, 'hookgate/.hookgate/home'),
        project: join(home, 'hookgate'),
        model: model.url,
        cache: cacheFolder,
      })
      const env = { ...offline, ...gemini.env(stage('')) }
      program = await startProgram({ ...ownedEnv(api), ...(isGemini ? env : {}) }, undefined, {
        prepare: (home) => {
          const main = isDemo
            ? { kind: 'demo' }
            : isGemini
              ? { kind: 'acp', command: gemini.command(stage(home)), env: Object.keys(env) }
              : { kind: 'openai', base_url: `${model.url}/v1`, model: 'm' }
          mkdirSync(join(home, '.hookgate'), { recursive: true })
          writeFileSync(join(home, '.hookgate/gate.yaml'), JSON.stringify({ agents: { main } }))
          if (isGemini) gemini.prepare(stage(home))
        },
      })
      phone = openPhone(api)
      await put(program, 'judge.sh', judge)
      await arm(program, phone, [{ event: 'pre_tool_call', command: './judge.sh', timeout: 10 }])
    }, 60_000)
    afterAll(async () => {
      await program.remove()
      await model.stop()
      await api.stop()
    })

    test('the card says that hookgate was started again, and its yes counts without a second question', async () => {
      const cards = (): readonly string[] =>
        api.texts(7).filter((text) => text.includes('main · bash · denied at'))
      api.say(go)
      await phone.reply(/main · bash · denied at/, 0, 60_000)
      await api.read()
      const from = api.texts(7).length
      await program.kill()
      program = await program.again()
      await phone.reply(/hookgate was started again\. Your answer counts when main asks again\./)
      await phone.reply(/hookgate was stopped while it worked on your last message/, from)
      expect(made()).toBe(false)
      expect(cards()).toHaveLength(1)

      await api.read()
      api.tap('Allow once')
      await phone.reply(/Allowed once by you\.[^]*The answer counts when main asks again\./)
      expect(cards()).toEqual([])
      api.say(go)
      await until('the call to run', made, 60_000)
      expect(cards()).toEqual([])
    })
  },
)
