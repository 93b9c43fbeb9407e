import { join } from 'node:path'
import { createBridgeService, type BridgeService } from '../../bridge/service/service.ts'
import { createSwitchWriter } from '../../bridge/switch-writer.ts'
import { createTokenCheck } from '../../bridge/token.ts'
import { readEvent, replyTo, takesChange, together } from '../../dialects/clients.ts'
import { callerOf, failClosed, noOpinion } from '../../dialects/gates.ts'
import { disclosed } from '../../shared/hooks/disclosed.ts'
import { prose, proseText, type Prose } from '../../core/model/chat/prose.ts'
import type { SwitchFacts } from '../../shared/gate/client.ts'
import { messageOf, ProblemError } from '../../core/model/gate/problem.ts'
import type { Permissions } from '../../permissions/permissions.ts'
import { findAccount } from '../../isolation/users/accounts.ts'
import { takenText } from '../../doctor/bridge-check.ts'
import { createNodeBridge, startBridgeHttp, startBridgeSocket } from '../../server/bridge.ts'
import type { AgentListener } from '../../server/listener.ts'
import { checkEvent } from '../../server/fields.ts'
import type { Base } from '../base.ts'
import type { GateChapter } from '../gate.ts'
import type { Outbound } from '../outbound.ts'

/** The account whose agents may open the socket. Undefined: that of the gate. */
const ownerOf = (user: string | undefined): { readonly uid: number; readonly gid: number } | undefined => {
  if (user === undefined) return undefined
  const account = findAccount(user)
  const wrong = (fix: string): ProblemError =>
    new ProblemError({
      code: 'bridge.user',
      message: `Expected "bridge.user" of gate.yaml to be a user whom hookgate can give a socket, got "${user}".`,
      fix,
    })
  if (account === undefined) throw wrong('Name a user of this machine.')
  if (account.uid !== process.getuid?.() && process.getuid?.() !== 0)
    throw wrong('Start hookgate as root, or remove the line.')
  return account
}

const freeText = (port: number): Prose =>
  prose`Port ${port} is free again. Agents that call HTTP hooks are served.`

/**
 * The service for foreign agents: a socket, an HTTP listener, and the file that bridges read while the gate
 * is away.
 */
export const createBridge = (
  { config, store, life, newId, now, after, log }: Base,
  { gatekeeper }: GateChapter,
  { notices }: Outbound,
  { fire }: Permissions,
) => {
  const { home, workspace, person, bridge } = config
  let http: Awaited<ReturnType<typeof startBridgeHttp>> | undefined
  /** Each machine has sessions of its own. */
  const serviceOf = (node?: string): BridgeService =>
    createBridgeService({
      readEvent,
      replyTo,
      takesChange,
      together,
      failClosed,
      noOpinion,
      callerOf: (name, stdin) => callerOf(name, {}, stdin),
      checkEvent,
      fire,
      record: store.addRecord,
      tellOwners: (text) => notices.tellOwners(text),
      workspace,
      newId,
      now,
      elapsedMs: () => performance.now(),
      isOn: () => gatekeeper.state().isOn,
      isAgent: (name) => config.agents.some(({ id }) => id === name),
      disclosed: () => disclosed(gatekeeper.armed()),
      node,
    })
  const service = serviceOf()
  const ofNodes: BridgeService[] = []

  /** What the bridges of this machine and of nodes have to know while the gate is away. */
  const facts = (): SwitchFacts => {
    const { isOn, lockdown, offUntilMs } = gatekeeper.state()
    return {
      isArmed: isOn || lockdown !== undefined,
      offUntilMs,
      unreachable: bridge.unreachable,
    }
  }

  const keepSwitch = (write: ReturnType<typeof createSwitchWriter>) => (): void => {
    try {
      write(facts())
    } catch (error) {
      log(
        'error',
        'the switch file of the bridges could not be written, so bridges refuse while the gate is away',
        {
          error: messageOf(error),
        },
      )
    }
  }

  /** Where no client asks over HTTP, owners need not hear of its port. */
  const tellIfAsked = async (text: Prose): Promise<void> => {
    const { asksOverHttp } = await import('../../bridge/install/switched-off.ts')
    const machine = { root: '/', platform: process.platform }
    if (asksOverHttp(bridge.port, { home: person, project: workspace, env: process.env, machine }))
      notices.tellOwners(text)
  }

  const start = async (): Promise<void> => {
    const keep = keepSwitch(createSwitchWriter(home))
    keep()
    life.onStop(gatekeeper.onChange(keep))
    const answers = { answer: service.answer, log }
    const socket = await startBridgeSocket(join(home, 'run', 'bridge.sock'), answers, ownerOf(bridge.user))
    life.onStop(socket.stop)
    if (bridge.port === 0) return
    const taken = (isTaken: boolean): void => {
      const text = isTaken ? takenText(bridge.port) : freeText(bridge.port)
      log('warn', proseText(text))
      void tellIfAsked(text)
    }
    http = await startBridgeHttp({ port: bridge.port, after, taken }, answers, createTokenCheck(home))
    life.onStop(http.stop)
  }

  return {
    /** The events that this hookgate does not know, of clients on all machines. */
    strangers: () => [service, ...ofNodes].flatMap(({ strangers }) => strangers()),
    facts,
    /** Makes the interface for the clients of a node. */
    ofNode: (node: string): Pick<AgentListener, 'attend' | 'stop'> => {
      const theirs = serviceOf(node)
      ofNodes.push(theirs)
      return createNodeBridge({ answer: theirs.answer, log })
    },
    /** The configured port, when another program holds it. */
    takenPort: () => (http !== undefined && http.port() === undefined ? bridge.port : undefined),
    start,
  }
}

export type Bridge = ReturnType<typeof createBridge>
