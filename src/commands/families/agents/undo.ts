import { prose } from '../../../core/model/chat/prose.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

/** Restores the workspace from the last snapshot of the built-in hook `snapshot`. */
export const undoCommand = ({ undo }: CommandPorts): Command => ({
  path: 'undo',
  usage: '/undo [agent]',
  summary: 'restore the files from the last snapshot of the built-in hook snapshot',
  need: 'owner',
  run: async (rest, { address }) => {
    const done = await undo(address, rest === '' ? undefined : rest)
    return done.ok ? ourWords(done.text) : prose`✗ Nothing was undone: ${ourWords(done.why)}`
  },
})
