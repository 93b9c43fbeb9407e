import { ApprovalShape } from '../../../core/model/approval/shapes.ts'
import { join } from 'node:path'
import { buffer as readBytes } from 'node:stream/consumers'
import { startAgentHost } from '../../../agents/agents.ts'
import { packageRoot } from '../../../config/first-start.ts'
import type { Config } from '../../../config/load.ts'
import { envFor, stdinFor } from '../../../dialects/dialects.ts'
import type { ApprovedHook } from '../../../core/model/approval/approved.ts'
import { renamed } from '../../../proposals/sealed-text.ts'
import { armedFrom } from '../../../core/gatekeeper/arming.ts'
import { fetchSeals } from '../../../core/gatekeeper/seal/fetch-seals.ts'
import { stopSearchAbove, sweepSeals } from '../../../core/gatekeeper/seal/seal.ts'
import { startHookRunner, type HookRunner } from '../../../handlers/remote/runner.ts'
import { isolate, type Isolation } from '../../../isolation/isolation.ts'
import { createMutex } from '../../../core/model/base/mutex.ts'
import { systemClock } from '../../../core/model/base/clock.ts'
import type { Json, JsonObject } from '../../../core/model/base/json.ts'
import type { ChannelPorts } from '../../../core/model/chat/channel.ts'
import type { Payload } from '../../../core/model/events/payload.ts'
import { messageOf } from '../../../core/model/gate/problem.ts'
import type { ArmedHook, Entry } from '../../../core/model/hooks/entry.ts'
import { nodePaths, type NodeAgent, type NodeQuestion } from '../../../shared/nodes/protocol.ts'
import type { Inboxes } from '../../../node/inboxes.ts'
import type { Link } from '../../../node/link.ts'
import { createRelay } from '../../../node/relay.ts'
import { listenPrivately } from '../../../server/socket.ts'
import { createSubscriberSlot, pingEveryMs } from '../../../server/subscriber.ts'
import { startProposalReader, type ProposalReader } from '../../proposal-reader/reader.ts'

/** The bytes of proposed files that the gate can show: of one file, and of all. */
const maxShownFile = 256 * 1024
const maxShown = 4 * 1024 * 1024

/**
 * Makes an empty list of proposals. A node gets no examples, because the owner has them on the machine of the
 * gate.
 */
const emptyList = `umask 022; cd "$1" && mkdir -p config || exit 1
[ -e config/shell_hooks.yaml ] || [ -L config/shell_hooks.yaml ] || echo 'hooks: []' > config/shell_hooks.yaml`

/** What a node does for its gate. */
export interface NodeWork {
  runAgents(agents: readonly NodeAgent[]): Promise<void>
  takeHooks(approvals: readonly JsonObject[]): Promise<void>
  answer(question: NodeQuestion, signal: AbortSignal): Promise<JsonObject>
  stop(): Promise<void>
}

/** The way of a node to its gate. */
interface Way {
  readonly link: Link
  readonly inboxes: Inboxes
}

/** Starts an agent with a socket that leads to the gate. Returns its end. */
const startAgent = async (
  { home, workspace }: Config,
  { id, make }: NodeAgent,
  isolation: Isolation,
  { link, inboxes }: Way,
  log: ChannelPorts['log'],
): Promise<() => Promise<void>> => {
  const inbox = createSubscriberSlot({ subscribe: (send) => inboxes.follow(id, send), pingEveryMs })
  const socketPath = join(home, 'run', `${id}.sock`)
  const startAs = isolation.agent(id, socketPath)
  const relay = createRelay({
    link,
    kind: 'agent',
    openInbox: inbox.open,
    pathOf: (path) => (path.startsWith('/v1/') ? `${nodePaths.agents}${id}${path}` : undefined),
    log,
  })
  await listenPrivately(relay, socketPath, startAs.user ?? startAs.becomes)
  const { mark } = isolation
  const host = startAgentHost({
    agentId: id,
    make,
    socketPath,
    workspace,
    startAs,
    mark,
    log,
    onExit: () => undefined,
  })
  return async () => {
    await host.stop()
    relay.closeAllConnections()
    relay.close()
  }
}

/** Tells the gate what the workspace proposes, with the bytes that an owner has to see before an approval. */
const createProposalSender = (reader: ProposalReader, link: Link, log: ChannelPorts['log']) => {
  const shown = new Map<string, readonly string[]>()
  const contentsOf = async (entry: Entry, fingerprint: string): Promise<readonly string[]> => {
    const known = shown.get(fingerprint)
    if (known !== undefined) return known
    const prepared = await reader.prepare(entry)
    const contents =
      'problem' in prepared
        ? []
        : prepared.contents.flatMap(({ content }) =>
            content.length <= maxShownFile ? [content.toString('base64')] : [],
          )
    shown.set(fingerprint, contents)
    return contents
  }
  const send = async (): Promise<void> => {
    const places = reader
      .source()
      .proposed.map((place) =>
        place.kind === 'entry' ? { place, sealable: reader.propose(place.entry) } : { place },
      )
    const contents: string[] = []
    let units = 0
    for (const { place, sealable } of places) {
      if (place.kind !== 'entry' || sealable?.fingerprint === undefined) continue
      for (const content of await contentsOf(place.entry, sealable.fingerprint)) {
        units += content.length
        if (units <= maxShown) contents.push(content)
      }
    }
    const answer = await link.post(nodePaths.proposals, { places, contents })
    answer.resume()
    if (answer.statusCode !== 200)
      log('warn', 'the gate did not take the proposals of this workspace', { status: answer.statusCode ?? 0 })
  }
  // One after another, so that the last one is what the gate has in the end.
  const inTurn = createMutex()
  return (): void => {
    void inTurn(send).catch((error: unknown) =>
      log('debug', 'the proposals could not be sent', { why: messageOf(error) }),
    )
  }
}

/** A sealed file from the gate, by its SHA-256. Rejects when the gate cannot be reached. */
const fetchFile = async (link: Link, digest: string): Promise<Buffer | undefined> => {
  const answer = await link.send({ method: 'GET', path: `${nodePaths.files}${digest}` })
  if (answer.statusCode === 200) return await readBytes(answer)
  answer.resume()
  return undefined
}

const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

interface NodeRun {
  readonly told: string
  readonly reader: ProposalReader
  readonly runner: HookRunner
  propose(): void
  stop(): Promise<void>
}

/** Runs agents and hooks on this machine as the gate says. */
export const createNodeWork = (config: Config, way: Way, log: ChannelPorts['log']): NodeWork => {
  const { link } = way
  const { home, workspace, lang, tz, user } = config
  const location = { workspace, seals: join(home, 'seal'), renamed }
  let armed: ReadonlyMap<string, ArmedHook> | undefined
  let running: NodeRun | undefined

  const start = async (agents: readonly NodeAgent[]): Promise<NodeRun> => {
    const isolation = await isolate({ ...config, agents, root: packageRoot() })
    isolation.asAgent(emptyList, [workspace])
    const { readLaw, world } = isolation
    const reader = startProposalReader(
      config,
      { path: world.path, readLaw, listed: {}, hasModel: false },
      log,
    )
    await reader.begun()
    const runner = await startHookRunner({
      ...systemClock,
      home,
      world,
      host: isolation.hooks,
      lang,
      user,
      tz,
      speech: { stdin: stdinFor, env: envFor },
      log,
    })
    const propose = createProposalSender(reader, link, log)
    reader.onChange(propose)
    const ends = await Promise.all(agents.map((agent) => startAgent(config, agent, isolation, way, log)))
    return {
      told: JSON.stringify(agents),
      reader,
      runner,
      propose,
      stop: async () => {
        await Promise.all(ends.map((end) => end()))
        await runner.stop()
        await reader.stop()
      },
    }
  }

  const runHook = async (
    { fingerprint, payload, timeoutMs, chain }: Extract<NodeQuestion, { ask: 'hook' }>,
    signal: AbortSignal,
  ): Promise<JsonObject> => {
    const hook = armed?.get(fingerprint)
    if (hook === undefined || running === undefined)
      throw new Error(`the hook ${fingerprint.slice(0, 12)} is not approved for this node`)
    const { transcript_path: transcript } = payload
    // The gate's own transcripts are not on this machine.
    const told = { ...payload, transcript_path: typeof transcript === 'string' ? transcript : '' }
    return {
      ...(await running.runner.run(hook, told as unknown as Payload, { timeoutMs, chain, signal })),
    } as unknown as JsonObject
  }

  const prepare = async (entry: Entry): Promise<JsonObject> => {
    if (running === undefined) throw new Error('nothing runs here yet')
    const prepared = await running.reader.prepare(entry)
    if ('problem' in prepared) return { problem: { ...prepared.problem } }
    const contents = prepared.contents.map(({ content }) => content.toString('base64'))
    return { record: prepared.record, contents } as unknown as JsonObject
  }

  return {
    runAgents: async (agents) => {
      if (running?.told !== JSON.stringify(agents)) {
        const before = running
        running = undefined
        await before?.stop()
        running = await start(agents)
      }
      running.propose()
    },
    takeHooks: async (records) => {
      const approvals = records.flatMap(({ by, at, ...record }) => {
        const { data } = ApprovalShape.safeParse(record)
        return data === undefined ? [] : [{ ...data, by: asText(by), at: asText(at) } satisfies ApprovedHook]
      })
      const live = new Set(approvals.map(({ fingerprint }) => fingerprint))
      if (armed === undefined) {
        stopSearchAbove(location.seals)
        sweepSeals(location.seals, live, log)
      }
      await fetchSeals(location.seals, approvals, { get: (digest) => fetchFile(link, digest) }, log)
      const onTampered = (what: string): void =>
        log('error', 'the files of an approved hook were changed on this machine', { what })
      const before = armed
      armed = new Map(
        approvals.map((approved) => [
          approved.fingerprint,
          before?.get(approved.fingerprint) ?? armedFrom(approved, location, { onTampered, log }),
        ]),
      )
      running?.runner.retire(live)
    },
    answer: (question, signal) =>
      question.ask === 'hook' ? runHook(question, signal) : prepare(question.entry),
    stop: async () => running?.stop(),
  }
}
