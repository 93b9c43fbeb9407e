import { existsSync } from 'node:fs'
import { startBeside } from './beside.ts'
import { bundle, type PeerAnswer, type PeerQuestion } from './peer-bundle.ts'

/** Another hook runner in a process of its own. */
export interface Peer {
  /** Resolves with what its own code took, in microseconds. Rejects when the outcome is another one. */
  ask(question: PeerQuestion, success?: boolean): Promise<number>
  stop(): Promise<void>
}

/** What a row says that was measured without the peer. */
export const withoutPeer = 'Gemini CLI is not installed, so it is not in this row.'

/** Starts the hook runner of Gemini CLI. Undefined where it is not installed. */
export const startPeer = async (cwd: string): Promise<Peer | undefined> => {
  if (!existsSync(bundle)) return undefined
  const beside = await startBeside('peer-program.ts', [], { cwd, isAwaited: true })
  return {
    ask: async (question, success = true) => {
      const answer = (await beside.ask(question)) as PeerAnswer
      if (answer.success !== success)
        throw new Error(`Expected success ${success} of the peer, got ${JSON.stringify(answer)}.`)
      return answer.us
    },
    stop: () => beside.stop(),
  }
}
