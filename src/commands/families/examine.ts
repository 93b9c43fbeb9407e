import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { nearest } from '../../shared/base/nearest.ts'
import { refusal } from '../../core/model/chat/notice.ts'
import { joinProse, prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import { findShown, type FoundRows } from '../find.ts'
import { handlerWords } from '../cards/handler.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { changedWords, eventWords } from '../cards/row.ts'
import { oneLine, shorten } from '../words.ts'

/** An attack that somebody asks of doctor runs at a terminal, on a gate of its own making. */
const isAboutAttack = (typed: string): boolean =>
  nearest(typed.replace(/^-+/, '').toLowerCase(), ['attack']) !== undefined

const notDoctor = (rest: string): Prose => {
  const typed = shorten(oneLine(rest))
  const attack = isAboutAttack(rest)
    ? prose`\nAn attack runs at a terminal, on a gate of its own: hookgate attack`
    : []
  return prose`Doctor did not run: it takes nothing after “/hooks doctor”, but got ${typed}.${attack}\nTo check every approved hook → /hooks doctor`
}

export const doctorCommand = (ports: CommandPorts): Command => ({
  path: 'hooks doctor',
  usage: '/hooks doctor',
  summary: 'run each approved hook on a sample',
  need: 'owner',
  run: (rest, { progress }) => (rest === '' ? ports.doctor(undefined, progress) : refusal(notDoctor(rest))),
})

const whichOne = refusal(prose`Name the hook: /hooks test <name>, as /hooks lists it.`)

/** An unapproved hook does not run for a chat. At a terminal it runs as the person who typed the command. */
const notHere = (row: ListedHook): Prose => {
  const { entry } = row
  const isProgram = entry?.type === 'command' || entry?.type === 'process'
  const dialect = entry?.dialect === undefined ? '' : ` --dialect ${entry.dialect.name}`
  const hint = isProgram
    ? prose`\nTo try it first, at a terminal: hookgate test ${eventWords(row.event)} --command '…'${verbatim(dialect)}`
    : []
  return prose`${handlerWords(row, 120)} is not approved, and only approved hooks run here.${hint}`
}

const examine = async (
  row: ListedHook,
  ports: CommandPorts,
  { progress }: CommandContext,
): Promise<Prose> => {
  if (row.live === undefined) return notHere(row)
  const answer = await ports.doctor(row.live, progress)
  return row.status === 'changed'
    ? prose`Its file changed since approval; ${changedWords(row)}.\n${answer}`
    : answer
}

export const testCommand = (ports: CommandPorts): Command => ({
  path: 'hooks test',
  usage: '/hooks test <name>',
  summary: 'run one approved hook on a sample',
  need: 'owner',
  needsRefresh: true,
  run: async (rest, context) => {
    const found: FoundRows = rest === '' ? { wrong: whichOne } : findShown(rest, ports.rows(), ports, context)
    if ('wrong' in found) return found.wrong
    const answers: Prose[] = []
    for (const row of found.rows) answers.push(await examine(row, ports, context))
    return joinProse(answers, '\n\n')
  },
})
