import { join } from 'node:path'
import { faultAnswer, type Answer } from '../core/model/hooks/answer.ts'
import { memoizeEach, memoizeLast } from '../core/model/base/memoize.ts'
import type { Clock } from '../core/model/base/clock.ts'
import type { HandlerOutput } from '../core/model/hooks/dialect.ts'
import { machineFor, type ArmedHook, type Entry } from '../core/model/hooks/entry.ts'
import type { HookWorld } from '../shared/hooks/hook-world.ts'
import type { Payload } from '../core/model/events/payload.ts'
import {
  createObservedHooks,
  type ObservedHooks,
  type ObservedHooksPorts,
} from './observers/observed-hooks.ts'
import { askGitVersion } from './host/git/git-version.ts'
import type { HooksPorts } from '../core/hooks/hooks.ts'
import type { HookHost, HookHostOptions } from './host/host.ts'
import type { Programs } from './programs.ts'
import { createBudget, type SpendingBudget, type BudgetPorts } from './builtins/budget/budget.ts'
import { createMarks } from './builtins/incoming/mark.ts'
import { createOwnerNews, type OwnerNews } from './builtins/owner-news.ts'
import { createTranscripts } from './transcript.ts'
import { createBuiltinTransport, type BuiltinPorts, type BuiltinTransport } from './transports/builtin.ts'
import { failedRun } from './host/protocol.ts'
import { createHiding, variableProblem, type OwnerVariables } from './world/owner-variables.ts'
import { createCommandTransport, type CommandTransport } from './transports/command.ts'
import { createHttpTransport } from './transports/http.ts'
import { createLlmTransport, type LlmOptions } from './transports/llm.ts'
import { createNodeTransport, type NodeTransportPorts } from './remote/node-transport.ts'
import { createProcessTransport, type ProcessTransport } from './transports/process.ts'
import type { Speech, Transport } from './transports/transport.ts'
import { createTransports } from './transports/transports.ts'

/** Transcripts name tool calls as Claude Code does. */
const claudeTool = { dialect: { name: 'claude-code', event: 'PreToolUse' } } as Entry

/** The folder of transcripts. Only the gate writes there; hooks may read it. */
const transcriptFolder = (home: string): string => join(home, 'run', 'transcripts')

export interface HookPlaneOptions
  extends
    Pick<
      ObservedHooksPorts,
      'armed' | 'revision' | 'view' | 'nodeOf' | 'recordShadows' | 'isSideBySide' | 'hearsRefusals' | 'log'
    >,
    Pick<BuiltinPorts, 'askHost' | 'workspace'>,
    Clock {
  /** The gate's folder. */
  readonly home: string
  readonly world: HookWorld
  /** The hook host, which is starting or has started. The plane stops it. */
  readonly programs: Promise<Programs>
  readonly tz?: string
  /** The variables that gate.yaml lists for hooks. */
  readonly listed: OwnerVariables
  readonly http: { readonly env: Readonly<Record<string, string>>; readonly allowLocal: boolean }
  readonly llm?: LlmOptions
  readonly speech: Speech
  /** The user, the sandbox and the mark of hooks. Absent: the gate's own user. */
  readonly host?: Pick<HookHostOptions, 'user' | 'sandbox' | 'mark'>
  decode(hook: ArmedHook, payload: Payload, output: HandlerOutput): Answer
  /** True where a failure of the hook may refuse. */
  mayRefuse(entry: Entry): boolean
  /** Where the counts of budget are kept. */
  readonly budgetStore: Pick<BudgetPorts, 'storedCounts' | 'storeCounts'>
  after(delayMs: number, run: () => void): void
  /** Asks a node. */
  readonly askNode: NodeTransportPorts['ask']
  /** The text of the person's message that an event is about; undefined when no person wrote it. */
  said(payload: Payload): string | undefined
}

export interface HookPlane
  extends ObservedHooks, Pick<BuiltinTransport, 'undo'>, Pick<HookHost, 'measure' | 'empty'> {
  readonly budget: Pick<SpendingBudget, 'state' | 'extend' | 'isUnreadable' | 'startAnew'>
  onNews: OwnerNews['onNews']
  residents: ProcessTransport['state']
  probe: CommandTransport['probe']
  /** The containment of hooks, for doctor. */
  readonly containment: HookHost['containment']
  /** The output of `git --version` where hooks run; undefined when they find no git. Never rejects. */
  gitVersion(): Promise<string | undefined>
}

/**
 * Removes the path of the seal from stderr. A failing script prints its path, which is long and means nothing
 * to a person.
 */
const withoutSeal = (stderr: string, home: string, { fingerprint }: ArmedHook): string =>
  stderr === '' ? '' : stderr.replaceAll(join(home, 'seal', fingerprint, '/'), '')

/** Asks a hook whose `env` can be filled in, and removes the values of those variables from its output. */
const askWithVariables = ({ ask }: Transport, listed: OwnerVariables): Transport['ask'] => {
  const withoutValues = createHiding(listed)
  const problemOf = memoizeEach((entry: Entry) => variableProblem(entry, listed))
  return async (hook, payload, options) => {
    const wrong = problemOf(hook.entry)
    if (wrong !== undefined) return failedRun('refused', `${wrong.message} ${wrong.fix}`)
    return withoutValues(await ask(hook, payload, options))
  }
}

/** Connects the hooks in force to all transports, when the hook host has started. */
export const startHookPlane = async ({
  home,
  workspace,
  world,
  programs: starting,
  tz,
  listed,
  http,
  llm,
  askHost,
  askNode,
  speech,
  decode,
  said,
  budgetStore,
  after,
  host: runsAs,
  ...ports
}: HookPlaneOptions): Promise<HookPlane> => {
  const { now, elapsedMs, log, armed } = ports
  const { host, envOf } = await starting
  const live = memoizeLast(
    (hooks: readonly ArmedHook[]) => new Set(hooks.map(({ fingerprint }) => fingerprint)),
  )
  const isLive = (fingerprint: string): boolean => live(armed()).has(fingerprint)
  const programs = createProcessTransport({
    host,
    speech,
    envOf,
    folder: join(home, 'run', 'hooks'),
    user: runsAs?.user,
    isLive,
    log,
  })
  const owner = createOwnerNews({ isLive, after })
  const budget = createBudget({ ...ports, tz, ...budgetStore })
  const marks = createMarks()
  const builtins = createBuiltinTransport({ askHost, workspace, speech, now, budget, owner, marks, tz })
  const judges = createLlmTransport({ speech, elapsedMs, llm })
  const commands = createCommandTransport({ host, speech, envOf, isLive })
  const transports = createTransports({
    command: commands,
    process: programs,
    http: createHttpTransport({ speech, now, ...http }),
    builtin: builtins,
    llm: judges,
  })
  const run = askWithVariables(transports, listed)
  const nodeFor = ({ entry }: ArmedHook, { agent_id }: Payload): string | undefined =>
    machineFor(entry, ports.nodeOf?.(agent_id))
  const nodes = createNodeTransport({ ask: askNode, nodeFor })
  const transcripts = createTranscripts({
    folder: transcriptFolder(home),
    now,
    said,
    log,
    user: runsAs?.user,
    named: (payload) => ports.view(claudeTool, payload) ?? payload,
  })
  const isShared = runsAs?.user === undefined && runsAs?.sandbox === undefined
  /**
   * Only a client's own user can read its transcript. Hooks that run as another user get the gate's
   * transcript.
   */
  const withTranscript = (payload: Payload): Payload => {
    const theirs = payload['transcript_path']
    const isTheirs = isShared && typeof theirs === 'string' && theirs.startsWith('/')
    const path = isTheirs ? theirs : transcripts.pathOf(payload)
    return { ...payload, transcript_path: path ?? '' }
  }
  const hasForeign = memoizeLast((hooks: readonly ArmedHook[]) =>
    hooks.some(({ entry }) => entry.dialect !== undefined),
  )
  const onEvent: HooksPorts['onEvent'] = (payload) => {
    budget.begin(payload)
    // The final text of an agent is written before hooks are asked about it. Other events are written as
    // they were settled.
    const isEnd = payload.event === 'on_stop' || payload.event === 'on_completion_claim'
    if (isEnd && hasForeign(armed())) transcripts.note(payload)
    marks.begin(payload)
    return (verdict) => {
      marks.end(payload)
      if (verdict === undefined) return
      budget.end(payload, verdict)
      owner.note(payload, verdict)
      if (!isEnd && verdict.verdict !== 'block' && hasForeign(armed())) transcripts.note(verdict.payload)
    }
  }
  const hooks = createObservedHooks({
    ...ports,
    onEvent,
    retire: transports.retire,
    isElsewhere: (hook, payload) => nodeFor(hook, payload) !== undefined,
    run: (hook, payload, options) =>
      nodeFor(hook, payload) === undefined
        ? run(hook, hook.entry.dialect === undefined ? payload : withTranscript(payload), options)
        : nodes.ask(hook, payload, options),
    decode: (hook, payload, result) =>
      result.failure === undefined
        ? decode(hook, payload, { ...result, stderr: withoutSeal(result.stderr, home, hook) })
        : faultAnswer(result.failure.kind, result.failure.detail),
  })
  return {
    ...hooks,
    undo: builtins.undo,
    budget,
    onNews: owner.onNews,
    residents: programs.state,
    probe: commands.probe,
    containment: host.containment,
    measure: host.measure,
    empty: host.empty,
    gitVersion: () => askGitVersion(host, world.path),
    stop: async () => {
      await hooks.stop()
      await transports.stop()
      await host.stop()
    },
  }
}
