import { prose } from '../../../core/model/chat/prose.ts'
import type { AgentCommandPorts } from '../../agent-ports.ts'
import type { Command } from '../../ports.ts'

/** Restores the workspace from the last snapshot of the built-in hook `snapshot`. */
export const undoCommand = ({ undo }: AgentCommandPorts): Command => ({
  path: 'undo',
  usage: '/undo [agent]',
  summary: 'restore the files from the last snapshot of the built-in hook snapshot',
  need: 'owner',
  run: async (rest, { address }) => {
    const done = await undo(address, rest === '' ? undefined : rest)
    return done.ok ? prose`${done.text}` : prose`✗ Nothing was undone: ${done.why}`
  },
})
