import { roleGives } from '../model/gate/person.ts'
import { refusal } from '../model/chat/notice.ts'
import { fixed } from '../model/chat/prose.ts'
import type { Command, RolePorts } from './ports.ts'

/**
 * The part of a command that only an owner may use, although its path is open to approvers. The gatekeeper
 * refuses the act of such a person, too.
 */
export const ownersOnly = (ports: RolePorts, command: Command): Command => ({
  ...command,
  run: (rest, context) =>
    ports.person(context.owner)?.role === 'owner'
      ? command.run(rest, context)
      : refusal(fixed('No tool call that you may answer has this handle.\n→ /hooks asks')),
})

/** The commands that this person may use, for the help. */
export const commandsFor = (
  ports: RolePorts,
  commands: readonly Command[],
  id: string,
): readonly Command[] => {
  const role = ports.person(id)?.role
  return commands.filter(({ need }) => role !== undefined && roleGives(role, need))
}
