import { randomUUID } from 'node:crypto'
import {
  decodeFor,
  envFor,
  hearsRefusals,
  isSideBySide,
  mayRefuse,
  stdinFor,
  viewFor,
} from '../dialects/dialects.ts'
import { startHookPlane } from '../handlers/plane.ts'
import { startPrograms, type Programs } from '../handlers/programs.ts'
import { createBuiltinExchange } from '../server/exchange.ts'
import { createNodeOf } from '../shared/nodes/node-of.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'

/**
 * Starts the hook host. It needs nothing of the gate, so it starts while the gate opens. No hook runs before
 * the gate is open.
 */
export const startHookHost = ({ config, isolation, life, log }: Base): Promise<Programs> => {
  const { home, user, lang, tz, hooksEnv: listed } = config
  const { world, hooks: host } = isolation
  const starting = startPrograms({ home, world, host, user, listed, lang, log, tz })
  // A gate that cannot open stops a host that starts or has started, and tells only its own problem.
  life.onStop(async () => (await starting).host.stop())
  starting.catch(() => undefined)
  return starting
}

/** Connects the hooks in force to the hook host. Rejects when that host could not start. */
export const startHooks = async (
  { config, isolation, givenPrompts, nodeQuestions, store, history, life, after, now, elapsedMs, log }: Base,
  { gatekeeper }: GateChapter,
  programs: Promise<Programs>,
) => {
  const builtins = createBuiltinExchange({ newId: randomUUID })
  const hooks = await startHookPlane({
    home: config.home,
    workspace: config.workspace,
    host: isolation.hooks,
    world: isolation.world,
    programs,
    listed: config.hooksEnv,
    http: config.http,
    tz: config.tz,
    llm: config.llm,
    budgetStore: {
      storedCounts: await store.getFact('budget'),
      storeCounts: (text) => store.setFact('budget', text),
    },
    after,
    now,
    elapsedMs,
    log,
    askHost: builtins.ask,
    askNode: nodeQuestions.ask,
    nodeOf: createNodeOf(config.agents),
    recordShadows: (record) => {
      store.addRecord(record)
      history?.keepShadows(record)
    },
    armed: gatekeeper.armed,
    revision: () => gatekeeper.state().revision,
    view: viewFor,
    mayRefuse,
    isSideBySide,
    hearsRefusals,
    speech: { stdin: stdinFor, env: envFor },
    decode: decodeFor,
    // The user of a foreign client types into that client itself.
    said: ({ agent_id, prompt_id, message }) => {
      if (config.agents.every(({ id }) => id !== agent_id))
        return typeof message === 'string' ? message : undefined
      return typeof prompt_id === 'string' ? givenPrompts.textOf(agent_id, prompt_id) : undefined
    },
  })
  life.onStop(() => hooks.stop())
  /** `builtins`: the requests of built-in hooks to an agent's host. */
  return { hooks, builtins }
}

export type HookChapter = Awaited<ReturnType<typeof startHooks>>
