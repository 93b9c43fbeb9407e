import { noticeOf, refusal } from '../core/model/chat/notice.ts'
import { joinProse, named, prose, proseLines, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { cutOff } from '../shared/gate/recovery.ts'
import { standbySaidMs } from '../shared/gate/standby.ts'
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

const untoldText = async ({ untoldGates }: CommandPorts): Promise<Prose | undefined> => {
  try {
    const untold = await untoldGates(standbySaidMs)
    return untold.length === 0
      ? undefined
      : prose`⚠ Not known yet to the gates that wait: ${joinProse(untold.map(named), ', ')}.`
  } catch {
    return prose`⚠ The database did not say whether the gates that wait know of it.`
  }
}

/**
 * The command of a gate that another one may follow. The answer to an act that is in the ledger waits until
 * each gate that waits knows it, or says nothing any more, and names those that would take over without
 * knowing of it. In a lockdown nobody is asked: the line of the lockdown says enough.
 */
export const knownToStandbys = (ports: CommandPorts, command: Command): Command => ({
  ...command,
  run: async (rest, context) => {
    const before = ports.gate()
    const said = await command.run(rest, context)
    const { revision, lockdown } = ports.gate()
    // The end of a lockdown may begin a ledger that happens to be as long.
    const isChanged = revision !== before.revision || before.lockdown !== undefined
    const untold = isChanged && lockdown === undefined ? await untoldText(ports) : undefined
    if (untold === undefined) return said
    const notice = noticeOf(said)
    return { ...notice, text: proseLines(notice.text, untold) }
  },
})
