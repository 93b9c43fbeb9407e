import { refusal } from '../core/model/chat/notice.ts'
import { prose, proseLines, verbatim } from '../core/model/chat/prose.ts'
import { cutOff } from '../shared/gate/recovery.ts'
import { switchLine } from './families/list.ts'
import type { Command, CommandPorts } from './ports.ts'

/** A command is answered within this time while the database does not answer, in milliseconds. */
const answeredMs = 1500

/**
 * The command of a gate that can lose its database. An act that waits for the database is answered at once
 * with what is known, and again when the database has said what became of it.
 */
export const answeredInTime = (ports: CommandPorts, command: Command): Command => {
  const isCutOff = (): boolean => ports.gate().lockdown === cutOff
  // The act may have been written before the database went away, so this does not say that nothing changed.
  const unfinished = () =>
    refusal(
      proseLines(
        prose`The database did not answer, so /${verbatim(command.path)} was not finished. /hooks shows what holds now.`,
        switchLine(ports),
      ),
    )
  return {
    ...command,
    run: async (rest, context) => {
      const running = (async () => command.run(rest, context))()
      const { promise: late, resolve } = Promise.withResolvers<'late'>()
      const timer = setTimeout(resolve, answeredMs, 'late')
      try {
        const answer = await Promise.race([running, late])
        if (answer !== 'late') return answer
        if (!isCutOff()) return await running
        running.then(context.progress, () => context.progress(unfinished()))
        return refusal(
          proseLines(
            prose`Nobody knows yet whether /${verbatim(command.path)} counted. The answer comes when the database answers.`,
            switchLine(ports),
          ),
        )
      } catch (error) {
        if (!isCutOff()) throw error
        return unfinished()
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
