import { messageOf } from '../../core/model/gate/problem.ts'
import { labelOf, type ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { User } from '../host/spawn/group.ts'
import type { HookHost } from '../host/host.ts'
import { maxLineBytes } from '../host/resident/conversation.ts'
import { failedRun } from '../host/protocol.ts'
import { createAccept } from '../host/resident/accept.ts'
import {
  createResidentSupervisor,
  type ResidentSupervisor,
  type ConnectedListener,
  type ResidentState,
} from '../host/resident/supervisor.ts'
import { deepestChain, type ProgramPorts } from './command.ts'
import type { Transport } from './transport.ts'

export interface ProcessPorts extends Pick<ProgramPorts, 'speech' | 'envOf'> {
  readonly host: Pick<HookHost, 'reside'>
  /**
   * The folder of the socket on which programs connect to the gate. This transport creates it, only the gate
   * can enter it, and its path is short.
   */
  readonly folder: string
  /** The user that connects there; absent: the gate's own user. */
  readonly user?: User
  /**
   * True when the hook is in force. The program of a hook that is not, as when doctor asks, ends after its
   * answer.
   */
  isLive(fingerprint: string): boolean
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}

export interface ProcessTransport extends Required<Transport> {
  /** The resident programs, for doctor. */
  state(): readonly (ResidentState & { readonly fingerprint: string })[]
}

const stoppedDetail = 'The resident hook was ended because hookgate is stopping.'

/**
 * Asks a hook that is a resident program. It reads one request per line, `{"id", "session_id", "payload"}`,
 * and answers each with a line, `{"id", "answer"}`. The payload is the one that a command reads, and the
 * answer is the one that it prints. Several requests may be open, and the replies may come in any order.
 */
export const createProcessTransport = ({
  host,
  speech,
  envOf,
  folder,
  user,
  isLive,
  log,
}: ProcessPorts): ProcessTransport => {
  const accept = createAccept(folder, user)
  const supervisors = new Map<string, ResidentSupervisor>()
  let isStopped = false

  const launch = async (
    hook: ArmedHook,
    payload: Payload,
    listener: ConnectedListener,
    signal: AbortSignal,
  ): Promise<void> => {
    try {
      const meeting = await accept(listener.connected, signal)
      // The seal is also checked before a restart that no request caused.
      await hook.readSeal?.()
      const held = await hook.watch?.()
      if (signal.aborted) return
      const damaged = typeof held === 'string' ? held : hook.checkSeal()
      if (damaged !== undefined) return listener.ended({ kind: 'changed', detail: damaged })
      const { argv, argv0, cwd, ownFolder } = hook
      const env = { ...envOf(hook, speech.env(hook, payload)), HOOKGATE_CHAIN: deepestChain }
      host.reside({ argv, argv0, cwd, ownFolder, env }, meeting, listener, signal)
    } catch (error) {
      listener.ended({
        kind: 'limit',
        detail: `The gate cannot listen for the resident hook in ${folder} (${messageOf(error)}). Check the rights and the disk of that folder.`,
      })
    }
  }

  const supervisorOf = (hook: ArmedHook, payload: Payload): ResidentSupervisor => {
    const known = supervisors.get(hook.fingerprint)
    if (known !== undefined) return known
    const made = createResidentSupervisor(
      (listener, signal) => void launch(hook, payload, listener, signal),
      (what, why) => log('warn', what, { hook: labelOf(hook.entry), why }),
    )
    supervisors.set(hook.fingerprint, made)
    return made
  }

  const close = (fingerprint: string, why: string): void => {
    supervisors.get(fingerprint)?.end(why)
    supervisors.delete(fingerprint)
  }

  return {
    ask: async (hook, payload, { timeoutMs, signal }) => {
      const spoken = speech.stdin(hook, payload)
      const stdin = typeof spoken === 'string' ? spoken : await spoken
      if (isStopped) return failedRun('killed', stoppedDetail)
      // From here on the end of the hook ends the question, as \`retire\` does with its program.
      if (signal?.aborted === true)
        return failedRun('killed', 'The hook was not asked, because nobody waits for its answer any more.')
      const body = `"session_id":${JSON.stringify(payload.session_id)},"payload":${stdin}}\n`
      const bytes = Buffer.byteLength(body)
      // 64 bytes are reserved for the id.
      if (bytes > maxLineBytes - 64)
        return failedRun(
          'limit',
          `The event has ${bytes} bytes, and a resident hook takes less than ${maxLineBytes}. Make it a command, or match fewer events.`,
        )
      const supervisor = supervisorOf(hook, payload)
      const result = await supervisor.ask((id) => `{"id":"${id}",${body}`, timeoutMs)
      if (
        supervisor.isIdle() &&
        supervisors.get(hook.fingerprint) === supervisor &&
        !isLive(hook.fingerprint)
      )
        close(hook.fingerprint, 'The resident hook was ended because it is not in force.')
      return result
    },
    retire: (live) => {
      for (const fingerprint of supervisors.keys())
        if (!live.has(fingerprint))
          close(fingerprint, 'The resident hook was ended because it is no longer in force.')
    },
    stop: () => {
      isStopped = true
      for (const fingerprint of supervisors.keys()) close(fingerprint, stoppedDetail)
      return Promise.resolve()
    },
    state: () =>
      [...supervisors].map(([fingerprint, supervisor]) => ({ fingerprint, ...supervisor.state() })),
  }
}
