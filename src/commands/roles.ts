import { roleGives } from '../core/model/gate/person.ts'
import { mayAnswer, type Question } from '../shared/gate/permission.ts'
import { refusal } from '../core/model/chat/notice.ts'
import { prose } from '../core/model/chat/prose.ts'
import type { Command, CommandPorts } from './ports.ts'

/**
 * The part of a command that only an owner may use, although its path is open to approvers. The gatekeeper
 * refuses the act of such a person, too.
 */
export const ownersOnly = (ports: CommandPorts, command: Command): Command => ({
  ...command,
  run: (rest, context) =>
    ports.person(context.owner)?.role === 'owner'
      ? command.run(rest, context)
      : refusal(prose`No tool call that you may answer has this handle.\n→ /asks`),
})

/** True when the role of this person gives the right that the command needs, at this moment. */
export const mayUse = ({ person }: CommandPorts, { need }: Pick<Command, 'need'>, id: string): boolean => {
  const role = person(id)?.role
  return role !== undefined && roleGives(role, need)
}

/** The commands that this person may use, for the help. */
export const commandsFor = (
  ports: CommandPorts,
  commands: readonly Command[],
  id: string,
): readonly Command[] => commands.filter((command) => mayUse(ports, command, id))

/** The questions that this person may answer, at this moment. */
export const questionsFor = (id: string, { asks, person }: CommandPorts): readonly Question[] => {
  const asked = person(id)
  return asked === undefined ? [] : asks.waiting().filter((question) => mayAnswer(asked, question))
}
