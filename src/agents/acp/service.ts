import {
  type ClientApp,
  methods,
  type PermissionOption,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { callsOf } from './calls/calls.ts'
import type { Documents } from './calls/documents.ts'
import type { Limits } from './limits.ts'
import { type Live, tellLater } from './live.ts'
import { knownCall, observe } from './calls/observed.ts'
import { refusedWords, tellRefused } from './calls/results.ts'
import { elicit } from './calls/elicit.ts'
import type { Terminals } from './calls/terminals.ts'

const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

/**
 * Selects an option of one of the kinds, in their order, or cancels. The kinds must not include one that
 * would also hold for later calls, except for a refusal.
 */
const choice = (
  options: readonly PermissionOption[],
  kinds: readonly PermissionOption['kind'][],
): RequestPermissionResponse => {
  const chosen = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0]
  return chosen === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: chosen.optionId } }
}

export interface ServiceParts {
  /** The prompt that a session of the agent is working on. */
  live(session: string): Live | undefined
  readonly documents: Documents
  readonly terminals: Terminals
  readonly limits: Limits
}

/**
 * Answers the agent's requests. Each request belongs to a prompt of a person. Between two prompts every
 * request is refused.
 */
export const createService = ({
  live,
  documents,
  terminals,
  limits: { announcedMs },
}: ServiceParts): ((app: ClientApp) => ClientApp) => {
  /**
   * The tools that this program was seen to use through us. Their calls can be rewritten. For files a read is
   * the sign, because OpenCode passes us what it writes and then writes the file itself.
   */
  const usedThroughUs = new Set<string>()

  const forTurn = async <T>(session: string, work: (turn: Live) => Promise<T>): Promise<T> => {
    const turn = live(session)
    if (turn === undefined)
      throw new RequestError(-32603, 'Expected a request during a prompt, got one between two prompts.')
    try {
      return await turn.busy(() => work(turn))
    } catch (error) {
      if (error instanceof RequestError) throw error
      throw turn.signal.aborted
        ? RequestError.requestCancelled()
        : new RequestError(-32603, error instanceof Error ? error.message : String(error))
    }
  }

  const permit = async (
    { toolCall, options }: RequestPermissionRequest,
    turn: Live,
  ): Promise<RequestPermissionResponse> => {
    turn.voice.speak()
    // The call is marked as asked before anything is awaited, so that reports that come meanwhile find it.
    turn.asked.add(toolCall.toolCallId)
    // Earlier reports hold what the request leaves out.
    await turn.settled()
    for (const call of callsOf(knownCall(toolCall, turn))) {
      const verdict = await turn.guard.permit(call, usedThroughUs.has(call.name))
      if (verdict.kind === 'allow') {
        tellLater(turn.later, verdict.context)
        continue
      }
      tellRefused(turn, call, verdict)
      tellLater(turn.refused, refusedWords(`Your request to use ${call.name} was refused`, verdict))
      return choice(options, ['reject_once', 'reject_always'])
    }
    return choice(options, ['allow_once'])
  }

  return (app) =>
    app
      .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
        const turn = live(sessionId)
        void turn?.inOrder(() =>
          observe(update, turn, { announcedMs, isOurs: (terminal) => terminals.isOurs(sessionId, terminal) }),
        )
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) =>
        forTurn(params.sessionId, (turn) => permit(params, turn)).catch(() => cancelled),
      )
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        // Before a session begins, nobody can be asked.
        const session = 'sessionId' in params ? params.sessionId : undefined
        return typeof session === 'string'
          ? forTurn(session, (turn) => elicit(params, turn)).catch(() => ({ action: 'cancel' as const }))
          : { action: 'cancel' as const }
      })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        usedThroughUs.add('write_file')
        return forTurn(params.sessionId, (turn) => documents.read(params, turn))
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
        forTurn(params.sessionId, (turn) => documents.write(params, turn)),
      )
      .onRequest(methods.client.terminal.create, ({ params }) => {
        usedThroughUs.add('bash')
        return forTurn(params.sessionId, (turn) => terminals.create(params, turn))
      })
      .onRequest(methods.client.terminal.output, ({ params }) => terminals.output(params))
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.wait(params))
      .onRequest(methods.client.terminal.kill, ({ params }) => terminals.kill(params))
      .onRequest(methods.client.terminal.release, ({ params }) => terminals.release(params))
}
