import { type ClientApp, methods, type PermissionOption, RequestError, type RequestPermissionRequest, type RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { callsOf } from './calls.ts'
import type { Documents } from './documents.ts'
import type { Live } from './live.ts'
import { knownCall, observe } from './observed.ts'
import { tellRefused } from './refusal.ts'
import type { Terminals } from './terminals.ts'

/** What one prompt has to say of those before it. */
const maxLater = 50

const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

/** Never one that would hold for the next call as well. */
const choice = (options: readonly PermissionOption[], kinds: readonly PermissionOption['kind'][]): RequestPermissionResponse => {
  const chosen = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0]
  return chosen === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: chosen.optionId } }
}

export interface ServiceParts {
  /** The prompt that a session of the agent works on. */
  live(session: string): Live | undefined
  readonly documents: Documents
  readonly terminals: Terminals
}

/** What the agent may ask of us. Everything of it belongs to a prompt of a person: between them the agent gets nothing. */
export const createService = ({ live, documents, terminals }: ServiceParts): ((app: ClientApp) => ClientApp) => {
  /** True once this program read or wrote through us: then what a hook makes of a file is what is written. */
  let usesOurFiles = false

  const forTurn = async <T>(session: string, work: (turn: Live) => Promise<T>): Promise<T> => {
    const turn = live(session)
    if (turn === undefined) throw new RequestError(-32603, 'Expected a prompt that is worked on, got a request between two prompts.')
    try {
      return await turn.busy(() => work(turn))
    } catch (error) {
      if (error instanceof RequestError) throw error
      throw turn.signal.aborted ? RequestError.requestCancelled() : new RequestError(-32603, error instanceof Error ? error.message : String(error))
    }
  }

  const permit = async ({ toolCall, options }: RequestPermissionRequest, turn: Live): Promise<RequestPermissionResponse> => {
    turn.voice.speak()
    for (const call of callsOf(knownCall(toolCall, turn))) {
      const leave = await turn.guard.permit(call, call.name === 'write_file' && usesOurFiles)
      if (leave.kind === 'allow') {
        if (turn.later.length < maxLater) turn.later.push(leave.context)
        continue
      }
      tellRefused(turn, call, leave)
      if (turn.later.length < maxLater) turn.later.push(`You asked to use ${call.name} and it was refused: ${leave.reason}`)
      return choice(options, ['reject_once', 'reject_always'])
    }
    return choice(options, ['allow_once'])
  }

  return (app) => app
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      const turn = live(sessionId)
      void turn?.inOrder(() => observe(update, turn))
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) =>
      forTurn(params.sessionId, (turn) => permit(params, turn)).catch(() => cancelled))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      usesOurFiles = true
      return forTurn(params.sessionId, (turn) => documents.read(params, turn))
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      usesOurFiles = true
      return forTurn(params.sessionId, (turn) => documents.write(params, turn))
    })
    .onRequest(methods.client.terminal.create, ({ params }) => forTurn(params.sessionId, (turn) => terminals.create(params, turn)))
    .onRequest(methods.client.terminal.output, ({ params }) => terminals.output(params))
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.wait(params))
    .onRequest(methods.client.terminal.kill, ({ params }) => terminals.kill(params))
    .onRequest(methods.client.terminal.release, ({ params }) => terminals.release(params))
}
