import { newOwnerText, refusal, type NoticeText } from '../../model/chat/notice.ts'
import { fixed, joinProse, prose, verbatim, type Prose } from '../../model/chat/prose.ts'
import { isSameChat } from '../../model/chat/push.ts'
import { firstWord } from '../parse.ts'
import { hiddenRefusal } from '../cards/hidden.ts'
import type { Command, CommandContext, HandlePorts, OwnerPorts, TellPorts } from '../ports.ts'
import { plural } from '../words.ts'

/** The words for makers that are not an owner's id. */
const makers: Readonly<Record<string, string>> = {
  adoption: 'from the start',
  console: 'with the console’s code',
}

const ownersText = (ports: OwnerPorts, me: string): Prose => {
  const owners = ports.owners()
  return joinProse(
    [
      fixed(plural(owners.length, 'owner')),
      ...owners.map(({ id, by, at, isCurrent }) => {
        const made = makers[by] === undefined ? prose`by ${by}` : fixed(makers[by])
        return prose`${id}${fixed(id === me ? ' (you)' : '')}\n  ${fixed(/^[\d-]{10}/.exec(at)?.[0] ?? '')} ${made}${fixed(isCurrent ? '' : '\n  logged in again, so must pair again')}`
      }),
      fixed('One more → /pair\nOne less → /owners remove <id>'),
    ],
    '\n',
  )
}

/**
 * Tells every owner except the one who gets the answer. `chats` can hold chats of owners who were just
 * removed.
 */
const tellOthers = (
  ports: TellPorts,
  { address }: CommandContext,
  text: Prose,
  chats = ports.ownerChats(),
): void => {
  for (const chat of chats) if (!isSameChat(chat, address)) ports.tell(chat, text)
}

const removeOwner = (ports: OwnerPorts & TellPorts, typed: string, context: CommandContext): NoticeText => {
  const chats = ports.ownerChats()
  const removed = ports.removeOwner(typed, context.owner)
  if (!removed.ok) return refusal(prose`Nothing changed. ${removed.problem.message}\n${removed.problem.fix}`)
  tellOthers(ports, context, prose`${typed} is no longer an owner. Removed by ${context.owner}.`, chats)
  return prose`${typed} is no longer an owner. The other owners have been told.`
}

/** The answers name people, so the command is refused in a group chat. */
export const ownersCommand = (ports: OwnerPorts & TellPorts): Command => ({
  path: 'owners',
  usage: '/owners [remove <id>]',
  summary: 'who owns this gate',
  need: 'privileged',
  run: (rest, context) => {
    const [word, id] = firstWord(rest)
    if (word === '') return ownersText(ports, context.owner)
    if (word.toLowerCase() !== 'remove' || id === '') {
      return refusal(fixed('Type /owners, or /owners remove and an id that it shows.'))
    }
    return removeOwner(ports, id, context)
  },
})

/** Makes a pairing code for another person. A `/pair` with a code is handled before it comes here. */
export const pairCommand = (ports: OwnerPorts): Command => ({
  path: 'pair',
  usage: '/pair',
  summary: 'a code for one more owner',
  need: 'privileged',
  run: (_, { owner, address }) =>
    fixed(
      `A pairing code for one more owner, valid once, for 30 minutes. They send this to the bot in a private chat:\n/pair ${ports.invite(owner, address)}\nYou are asked before they become an owner.`,
    ),
})

/** The address goes only to the owner who asked for it, in their private chat, never to a log or a hook. */
export const loginCommand = (ports: OwnerPorts): Command => ({
  path: 'login',
  usage: '/login',
  summary: 'a link to the web page',
  need: 'privileged',
  run: (_, { owner }) =>
    ports.pageOrigin === undefined
      ? prose`${verbatim(ports.login(owner))}\nValid once, for 5 minutes, on the machine where hookgate runs.`
      : prose`${verbatim(ports.login(owner))}\nValid once, for 5 minutes. Open it on the device that you want to log in with. It makes a passkey there, and from then on that device logs in at ${verbatim(ports.pageOrigin)}.\nYour passkeys → /passkeys`,
})

const gone = 'This pairing request is over. A new code → /pair'

const answerPairing = (
  ports: OwnerPorts & TellPorts,
  key: string,
  isYes: boolean,
  context: CommandContext,
): NoticeText => {
  const answered = ports.answerPairing(key, context.owner, isYes)
  if (!answered.ok) {
    const unwritten = 'Nothing changed: the gate’s folder could not be written.'
    return refusal(fixed(answered.why === 'gone' ? gone : unwritten))
  }
  const { id, chat } = answered
  if (!isYes) {
    ports.tell(
      chat,
      fixed('Pairing was refused: the owner says that this is not you. Ask them if that was a mistake.'),
    )
    return prose`Refused: ${id} is not an owner. A new code → /pair`
  }
  ports.tell(chat, fixed(newOwnerText))
  const others = ports.ownerChats().filter((other) => !isSameChat(other, chat))
  tellOthers(ports, context, prose`New owner: ${id}, by ${context.owner}.`, others)
  return prose`${id} owns this gate now. The other owners have been told.`
}

/**
 * Extends `/y` or `/n` by answers about a person who typed a pairing code. All other handles go to `command`.
 */
export const answersPairing = (
  ports: HandlePorts & OwnerPorts & TellPorts,
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
    if ('why' in resolved || !resolved.fingerprint.startsWith('pair:')) return command.run(rest, context)
    if (isYes && resolved.hiddenBy !== undefined) return hiddenRefusal(resolved.hiddenBy)
    return answerPairing(ports, resolved.fingerprint, isYes, context)
  },
})
