import { RequestError } from '@agentclientprotocol/sdk'
import type { ReportedCall } from './calls.ts'
import type { BlockedCall } from './guard.ts'
import type { Live } from '../live.ts'

/**
 * Tells the person what did not run and why, because the agent may omit it. hookgate may have told it
 * already.
 */
export const tellRefused = (
  { voice }: Live,
  { name }: ReportedCall,
  { reason, isTold }: BlockedCall,
): void => {
  voice.speak()
  if (!isTold) voice.add(`I did not run ${name}: ${reason}`)
}

/** The text about a refusal for the agent. */
export const refusedWords = (what: string, { reason, context }: BlockedCall): string =>
  [`${what}: ${reason}`, context].filter((text) => text !== '').join('\n')

/** Tells the person about a refusal, and returns the error for the agent with the reason. */
export const refusal = (live: Live, call: ReportedCall, refused: BlockedCall): RequestError => {
  tellRefused(live, call, refused)
  return new RequestError(-32603, refusedWords('This call was refused and did not run', refused))
}
