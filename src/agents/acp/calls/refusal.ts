import { RequestError } from '@agentclientprotocol/sdk'
import type { ReportedCall } from './calls.ts'
import type { BlockedUpdate } from './guard.ts'
import type { Live } from '../live.ts'

/** Says once to the person what did not run, and why; the agent may leave it out. */
export const tellRefused = ({ voice }: Live, { name }: ReportedCall, { reason }: BlockedUpdate): void => {
  voice.speak()
  voice.add(`I did not run ${name}: ${reason}`)
}

/** What the agent is told of it. */
export const refusedWords = (what: string, { reason, context }: BlockedUpdate): string =>
  [`${what}: ${reason}`, context].filter((text) => text !== '').join('\n')

/** The answer to a request that was refused: it bears the reason. */
export const refusal = (live: Live, call: ReportedCall, refused: BlockedUpdate): RequestError => {
  tellRefused(live, call, refused)
  return new RequestError(-32603, refusedWords('This was not run', refused))
}
