import { RequestError } from '@agentclientprotocol/sdk'
import type { Call } from './calls.ts'
import type { Refusal } from './guard.ts'
import type { Live } from './live.ts'

/** Says once to the person what did not run, and why; the agent may leave it out. */
export const tellRefused = ({ voice }: Live, { name }: Call, { reason }: Refusal): void => {
  voice.speak()
  voice.add(`I did not run ${name}: ${reason}`)
}

/** What the agent is told of it. */
export const refusedWords = (what: string, { reason, context }: Refusal): string =>
  [`${what}: ${reason}`, context].filter((text) => text !== '').join('\n')

/** The answer to a request that was refused: it bears the reason. */
export const refusal = (live: Live, call: Call, refused: Refusal): RequestError => {
  tellRefused(live, call, refused)
  return new RequestError(-32603, refusedWords('This was not run', refused))
}
