import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PeerAnswer, PeerQuestion } from './peer-program.ts'

/** Another hook runner in a process of its own. */
export interface Peer {
  /** Resolves with what its own code took, in microseconds. Rejects when the outcome is another one. */
  ask(question: PeerQuestion, success?: boolean): Promise<number>
  stop(): Promise<void>
}

/** Starts the hook runner of Gemini CLI. */
export const startPeer = async (cwd: string): Promise<Peer> => {
  const child = fork(join(import.meta.dirname, 'peer-program.ts'), [], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return {
    ask: async (question, success = true) => {
      child.send(question)
      const [answer] = (await once(child, 'message')) as [PeerAnswer]
      if (answer.success !== success)
        throw new Error(`Expected success ${success} of the peer, got ${JSON.stringify(answer)}.`)
      return answer.us
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
