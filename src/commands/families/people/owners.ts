import { refusal, type NoticeText } from '../../../core/model/chat/notice.ts'
import { newRoleText, roleWords } from '../../../shared/chat/role-words.ts'
import type { Person, RoleGiven } from '../../../core/model/gate/person.ts'
import { heading, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { isSameChat, type Address } from '../../../core/model/chat/push.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { hiddenRefusal } from '../../cards/hidden.ts'
import { findPeople, nameOfId, personWords } from '../../cards/people.ts'
import { asHandle } from '../../find.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { shorten } from '../../words.ts'
import { isDownwards, readRole, type PersonChange, type PersonChanges } from './role-change.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

/** The prefix of the keys of people. It keeps their handles apart from others. */
const personMark = 'person:'

type Listed = ReturnType<CommandPorts['owners']>[number]

const madeWords = ({ by, at }: Listed, people: readonly Person[]): Prose => {
  const day = verbatim(/^[\d-]{10}/.exec(at)?.[0] ?? '')
  if (by === 'adoption') return prose`${day} from the start`
  if (by === 'console') return prose`${day} with the console’s code`
  return prose`${day} by ${nameOfId(by, people)}`
}

const listText = (ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const people = ports.owners()
  const lines = people.map((person) => {
    const handle = ports.handle(owner, address.chat_id, `${personMark}${person.id}`)
    const who = personWords(person, people)
    return proseLines(
      person.id === owner
        ? prose`${heading(handle, '')} ${who} (you), ${roleWords(person)}`
        : prose`${heading(handle, '')} ${who}, ${roleWords(person)}`,
      prose`  ${madeWords(person, people)}`,
      !person.isCurrent && prose`  logged in again, so must pair again`,
    )
  })
  return proseLines(
    people.length === 1 ? prose`1 person has a role` : prose`${people.length} people have a role`,
    ...lines,
    prose`One more → /owners add owner|approver|viewer\nAnother role → /owners role <handle> <role>\nOne less → /owners remove <handle>`,
  )
}

/** Tells every owner except the one who gets the answer. */
const tellOthers = (
  ports: CommandPorts,
  { address }: CommandContext,
  text: Prose,
  chats = ports.ownerChats(),
): void => {
  for (const chat of chats) if (!isSameChat(chat, address)) ports.tell(chat, text)
}

const chatOf = ({ id, chat_id }: Person): readonly Address[] =>
  chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }]

/** Carries out a change, and tells the other owners and the person. */
const change = async (
  ports: CommandPorts,
  { id, given }: Pick<PersonChange, 'id' | 'given'>,
  context: CommandContext,
): Promise<NoticeText> => {
  const people = ports.owners()
  const person = people.find((one) => one.id === id)
  // A person who is removed was in these chats before.
  const own = person === undefined ? [] : chatOf(person)
  const others = ports.ownerChats().filter((chat) => !own.some((one) => isSameChat(one, chat)))
  const done =
    given === undefined
      ? await ports.removeOwner(id, context.consent)
      : await ports.setRole(id, given, context.consent)
  if (!done.ok)
    return refusal(prose`Nothing changed. ${ourWords(done.problem.message)}\n${ourWords(done.problem.fix)}`)
  const [who, by] = [nameOfId(id, people), nameOfId(context.owner, people)]
  if (given === undefined) {
    tellOthers(ports, context, prose`${who} has no role in this gate any more. Removed by ${by}.`, others)
    tellOthers(ports, context, prose`You have no role in this gate any more. Removed by ${by}.`, own)
    return prose`${who} has no role in this gate any more. The owners have been told.`
  }
  const role = roleWords(given)
  tellOthers(ports, context, prose`${who} has another role now: ${role}. Changed by ${by}.`, others)
  tellOthers(ports, context, prose`You have another role now: ${role}. Changed by ${by}.`, own)
  return prose`${who} has another role now: ${roleWords(given)}. The owners have been told.`
}

/** The one person whom typed words name, or why there is none. */
const personOf = (
  ports: CommandPorts,
  typed: string,
  { owner, address }: CommandContext,
): { readonly person: Person } | { readonly wrong: NoticeText } => {
  const people = ports.owners()
  const handle = asHandle(typed)
  const resolved = handle === undefined ? undefined : ports.resolveHandle(owner, address.chat_id, handle)
  const byHandle =
    resolved !== undefined && 'fingerprint' in resolved
      ? people.filter(({ id }) => resolved.fingerprint === `${personMark}${id}`)
      : []
  const found = byHandle.length > 0 ? byHandle : findPeople(typed, people)
  const [person] = found
  if (person === undefined)
    return { wrong: refusal(prose`Nothing changed. Nobody here is ${shorten(typed, 60)}.\n→ /owners`) }
  if (found.length > 1)
    return {
      wrong: refusal(
        prose`Nothing changed. ${found.length} people are called ${shorten(typed, 60)}. Use the handle.\n→ /owners`,
      ),
    }
  return { person }
}

/** The name at the start of the words, and the rest. A name can have several words, and a role ends it. */
const beforeRole = (typed: string): readonly [string, string] => {
  const match = /^(.+?)\s+((?:owner|approver|viewer)\b[^]*)$/i.exec(typed)
  return match === null ? firstWord(typed) : [match[1] ?? '', match[2] ?? '']
}

const confirmCard = (
  ports: CommandPorts & { readonly changes: PersonChanges },
  cardButtons: CardButtons,
  person: Person,
  given: RoleGiven | undefined,
  context: CommandContext,
): NoticeText => {
  const people = ports.owners()
  const isLast =
    person.role === 'owner' &&
    !people.some(({ id, role, isCurrent }) => id !== person.id && role === 'owner' && isCurrent)
  if (isLast)
    return refusal(
      prose`Nothing changed. This is the last owner. Add another owner first.\n→ /owners add owner`,
    )
  const key = ports.changes.add({
    id: person.id,
    by: context.owner,
    given,
  })
  const place = cardButtons.place(context)
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const who = personWords(person, people)
  const now = roleWords(person)
  const ask =
    given === undefined
      ? prose`${heading(handle, '')} Remove ${who}, ${now}?`
      : prose`${heading(handle, '')} Change the role of ${who} from ${now} to ${roleWords(given)}?`
  const ends = person.role === 'owner' ? [prose`The grants that this person gave end with it.`] : []
  const typed = place.canTap ? [] : [prose`→ /y ${verbatim(handle)}\n→ /n ${verbatim(handle)}`]
  return {
    text: proseLines(ask, ...ends, ...typed),
    ...cardButtons.under(place, [['confirm', 'keep']], { about: key }),
  }
}

const codeText = (ports: CommandPorts, given: RoleGiven, { consent, address }: CommandContext): Prose =>
  prose`A pairing code for one more person, valid once, for 30 minutes. The person becomes: ${roleWords(given)}.\nThey send this to the bot in a private chat:\n/pair ${verbatim(ports.invite(consent, address, given))}\nYou are asked before it counts.`

/** The answers name people, so the command is refused in a group chat. */
export const ownersCommand = (
  ports: CommandPorts & { readonly changes: PersonChanges },
  cardButtons: CardButtons,
): Command => ({
  path: 'owners',
  usage: '/owners [add|role|remove …]',
  summary: 'who owns this gate, answers for it or reads it; add <role>, role <who> <role>, remove <who>',
  need: 'privileged',
  run: (rest, context) => {
    const [typed, after] = firstWord(rest)
    const word = typed.toLowerCase()
    if (word === '') return listText(ports, context)
    if (word === 'add') {
      const read = readRole(after === '' ? 'owner' : after, ports.knownAgents())
      return 'wrong' in read ? refusal(read.wrong) : codeText(ports, read.given, context)
    }
    if ((word !== 'remove' && word !== 'role') || after === '')
      return refusal(
        prose`Type one of these:\n→ /owners\n→ /owners add approver\n→ /owners role <handle> viewer\n→ /owners remove <handle>`,
      )
    const [name, more] = word === 'remove' ? [after, ''] : beforeRole(after)
    const found = personOf(ports, name, context)
    if ('wrong' in found) return found.wrong
    const { person } = found
    if (word === 'remove') return confirmCard(ports, cardButtons, person, undefined, context)
    const read = readRole(more, ports.knownAgents())
    if ('wrong' in read) return refusal(read.wrong)
    return isDownwards(person, read.given)
      ? confirmCard(ports, cardButtons, person, read.given, context)
      : change(ports, { id: person.id, given: read.given }, context)
  },
})

/** Makes a pairing code for one more owner. A `/pair` with a code is handled before it comes here. */
export const pairCommand = (ports: CommandPorts): Command => ({
  path: 'pair',
  usage: '/pair',
  summary: 'a code for one more owner',
  need: 'privileged',
  run: (_, context) => codeText(ports, { role: 'owner' }, context),
})

/** The address goes only to the owner who asked for it, in their private chat, never to a log or a hook. */
export const loginCommand = (ports: CommandPorts): Command => ({
  path: 'login',
  usage: '/login',
  summary: 'a link to the web page',
  need: 'privileged',
  run: (_, { owner }) =>
    ports.pageOrigin === undefined
      ? prose`${verbatim(ports.login(owner))}\nValid once, for 5 minutes, on the machine where hookgate runs.`
      : prose`${verbatim(ports.login(owner))}\nValid once, for 5 minutes. Open it on the device that you want to log in with. It makes a passkey there, and from then on that device logs in at ${verbatim(ports.pageOrigin)}.\nYour passkeys → /passkeys`,
})

const answerPairing = async (
  ports: CommandPorts,
  key: string,
  isYes: boolean,
  context: CommandContext,
): Promise<NoticeText> => {
  const answered = await ports.answerPairing(key, context.consent, isYes)
  if (!answered.ok)
    return refusal(
      answered.why === 'gone'
        ? prose`This pairing request is over. A new code → /pair`
        : prose`Nothing changed: the gate’s folder could not be written.`,
    )
  const { id, chat, given } = answered
  if (!isYes) {
    ports.tell(
      chat,
      prose`Pairing was refused: the owner says that this is not you. Ask them if that was a mistake.`,
    )
    return prose`Refused: ${id} has no role in this gate. A new code → /owners add`
  }
  ports.tell(chat, newRoleText[given.role])
  const others = ports.ownerChats().filter((other) => !isSameChat(other, chat))
  const people = ports.owners()
  const [who, by] = [nameOfId(id, people), nameOfId(context.owner, people)]
  tellOthers(ports, context, prose`${who} is new in this gate: ${roleWords(given)}, by ${by}.`, others)
  return prose`${who} is new in this gate: ${roleWords(given)}. The other owners have been told.`
}

/**
 * Extends `/y` or `/n` by answers about a person who typed a pairing code, and by the second word about a
 * person who is removed or gets a lower role. All other handles go to `command`.
 */
export const answersAboutPeople = (
  ports: CommandPorts & { readonly changes: PersonChanges },
  command: Command,
  isYes: boolean,
): Command => ({
  ...command,
  run: (rest, context) => {
    const resolved = ports.resolveHandle(
      context.owner,
      context.address.chat_id,
      firstWord(rest)[0].toLowerCase(),
    )
    if ('why' in resolved) return command.run(rest, context)
    const { fingerprint: key, hiddenBy } = resolved
    const isChange = ports.changes.isKey(key)
    if (!isChange && !key.startsWith('pair:')) return command.run(rest, context)
    if (isYes && hiddenBy !== undefined) return hiddenRefusal(hiddenBy)
    if (!isChange) return answerPairing(ports, key, isYes, context)
    const asked = ports.changes.take(key, context.owner)
    if (asked === undefined) return refusal(prose`Nothing changed: this card is over.\n→ /owners`)
    return isYes ? change(ports, asked, context) : prose`Nothing changed.\n→ /owners`
  },
})
