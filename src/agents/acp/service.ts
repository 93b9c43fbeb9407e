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
import { type Live, putOff } from './live.ts'
import { knownCall, observe } from './calls/observed.ts'
import { refusedWords, tellRefused } from './calls/refusal.ts'
import type { Terminals } from './calls/terminals.ts'

const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

/** Never one that would hold for the next call as well. */
const choice = (
  options: readonly PermissionOption[],
  kinds: readonly PermissionOption['kind'][],
): RequestPermissionResponse => {
  const chosen = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0]
  return chosen === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: chosen.optionId } }
}

export interface ServiceParts {
  /** The prompt that a session of the agent works on. */
  live(session: string): Live | undefined
  readonly documents: Documents
  readonly terminals: Terminals
  readonly limits: Limits
}

/** What the agent may ask of us. Everything of it belongs to a prompt of a person: between them the agent gets nothing. */
export const createService = ({
  live,
  documents,
  terminals,
  limits: { announcedMs },
}: ServiceParts): ((app: ClientApp) => ClientApp) => {
  /**
   * What this program was seen to do through us: then what a hook makes of it is what happens. Reading is the sign for
   * files: OpenCode hands over what it writes and then writes it itself.
   */
  const through = new Set<string>()

  const forTurn = async <T>(session: string, work: (turn: Live) => Promise<T>): Promise<T> => {
    const turn = live(session)
    if (turn === undefined)
      throw new RequestError(
        -32603,
        'Expected a prompt that is worked on, got a request between two prompts.',
      )
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
    // Before anything is awaited: what is told of it meanwhile was asked for.
    turn.asked.add(toolCall.toolCallId)
    // What the request leaves out was told before it.
    await turn.settled()
    for (const call of callsOf(knownCall(toolCall, turn))) {
      const leave = await turn.guard.permit(call, through.has(call.name))
      if (leave.kind === 'allow') {
        putOff(turn.later, leave.context)
        continue
      }
      tellRefused(turn, call, leave)
      putOff(turn.refused, refusedWords(`You asked to use ${call.name} and it was refused`, leave))
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
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        through.add('write_file')
        return forTurn(params.sessionId, (turn) => documents.read(params, turn))
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
        forTurn(params.sessionId, (turn) => documents.write(params, turn)),
      )
      .onRequest(methods.client.terminal.create, ({ params }) => {
        through.add('bash')
        return forTurn(params.sessionId, (turn) => terminals.create(params, turn))
      })
      .onRequest(methods.client.terminal.output, ({ params }) => terminals.output(params))
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.wait(params))
      .onRequest(methods.client.terminal.kill, ({ params }) => terminals.kill(params))
      .onRequest(methods.client.terminal.release, ({ params }) => terminals.release(params))
}
