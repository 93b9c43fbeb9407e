import { parseChat, type Line } from '../core/commands/parse.ts'
import { chatsOf } from '../chats/chats.ts'
import { createPairTalk } from '../chats/pair.ts'
import { createInbox } from '../core/inbox/receive.ts'
import type { Prompts } from '../prompts/prompts.ts'
import type { Acts } from './acts.ts'
import type { Base } from './base.ts'
import type { Commands } from './commands.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** The commands with which a newcomer asks what to do. */
const greetings: ReadonlySet<string> = new Set(['start', 'pair', 'help'])

export const isGreeting = (line: Line): boolean =>
  line.kind === 'command' && greetings.has(line.name) && line.rest === ''

/**
 * The code of `/pair <code>`. A start link with the code sends `/start <code>`. It counts only while nobody
 * owns the gate, because then no agent runs that could have made the link.
 */
export const codeIn = (line: Line, isClaimed: boolean): string | undefined =>
  line.kind === 'command' && (line.name === 'pair' || (line.name === 'start' && !isClaimed))
    ? line.rest || undefined
    : undefined

export type Inbox = ReturnType<typeof createInbox<Line>>

/** The inbox: it runs commands, and gives all other messages to the agent. */
export const createInboxChapter = (
  { store, newId, now, log }: Base,
  { gatekeeper }: GateChapter,
  { dispatcher, chats, readers }: Outbound,
  prompts: Prompts,
  { acts }: Acts,
  { table, prompt, offerProtection }: Commands,
): Inbox =>
  createInbox<Line>({
    parse: parseChat,
    lookUp: table.lookUp,
    press: table.press,
    cardReply: table.cardReply,
    ...createPairTalk({
      pair: acts.pair,
      paired: offerProtection,
      ownerChats: chats.ofOwners,
      isClaimed: gatekeeper.claim.isClaimed,
      notify: dispatcher.notify,
      now,
    }),
    pairCode: (line) => codeIn(line, gatekeeper.claim.isClaimed()),
    isGreeting,
    ...gatekeeper.hearing,
    privateChat: (id) => {
      const person = gatekeeper.person(id)
      return person === undefined ? undefined : chatsOf([person])[0]
    },
    serves: chats.isConfigured,
    heard: (message, isKnown) => (isKnown ? readers.note(message) : readers.meet(message)),
    firstSeen: (message) => store.firstSeen(message, now()),
    notify: dispatcher.notify,
    prompt,
    record: store.addRecord,
    begin: prompts.begin,
    newId,
    now,
    log,
  })
