/**
 * The hook runner of Gemini CLI, as npm has it, in a process of its own. It answers each question with the
 * microseconds that its own code took. What it prints goes nowhere.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { geminiProgram } from '../clients/gemini.ts'
import { installPackages } from '../packages.ts'

export type PeerQuestion =
  /** Runs one command hook, which may take so many milliseconds. */
  | { readonly kind: 'run'; readonly command: string; readonly timeoutMs: number; readonly input: object }
  /** Asks so many times, in a row, which of the hooks of these matchers are for a tool. */
  | {
      readonly kind: 'match'
      readonly matchers: readonly string[]
      readonly tool: string
      readonly times: number
    }

export interface PeerAnswer {
  readonly us: number
  /** True when the hook ended by itself. */
  readonly success: boolean
}

interface Config {
  readonly type: 'command'
  readonly command: string
  readonly timeout?: number
}
interface Core {
  readonly HookRunner: new (config: object) => {
    executeHook(config: Config, event: string, input: object): Promise<{ readonly success: boolean }>
  }
  readonly HookPlanner: new (registry: object) => {
    createExecutionPlan(event: string, context: { readonly toolName: string }): unknown
  }
}

await installPackages('test/clients')
const bundle = dirname(geminiProgram)
const file = readdirSync(bundle).find((name) => /^core-.*\.js$/.test(name))
if (file === undefined) throw new Error(`Expected the core of Gemini CLI in ${bundle}, got none.`)
const { HookRunner, HookPlanner } = (await import(pathToFileURL(join(bundle, file)).href)) as Core
const config = {
  isTrustedFolder: () => true,
  sanitizationConfig: { allowedEnvironmentVariables: [], blockedEnvironmentVariables: [] },
  storage: { getPlansDir: () => '/tmp' },
}
const runner = new HookRunner(config)

const answer = async (question: PeerQuestion): Promise<PeerAnswer> => {
  if (question.kind === 'run') {
    const { command, timeoutMs, input } = question
    const from = performance.now()
    const { success } = await runner.executeHook(
      { type: 'command', command, timeout: timeoutMs },
      'BeforeTool',
      input,
    )
    return { us: (performance.now() - from) * 1000, success }
  }
  const { matchers, tool, times } = question
  const entries = matchers.map((matcher) => ({
    matcher,
    config: { type: 'command', command: `./${matcher}` },
  }))
  const planner = new HookPlanner({ getHooksForEvent: () => entries })
  const from = performance.now()
  let isNone = true
  for (let time = 0; time < times; time++)
    isNone &&= planner.createExecutionPlan('BeforeTool', { toolName: tool }) === null
  return { us: ((performance.now() - from) * 1000) / times, success: isNone }
}

process.on('message', (question: PeerQuestion) => {
  void answer(question).then((told) => process.send?.(told))
})
process.send?.('ready')
