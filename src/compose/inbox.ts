import { firstWord, parseChat, type Line } from '../commands/parse.ts'
import { createInbox } from '../inbox/receive.ts'
import type { Prompts } from '../inbox/prompts.ts'
import type { Acts } from './acts.ts'
import type { Base } from './base.ts'
import type { Commands } from './commands.ts'
import type { Gate } from './gate.ts'
import type { Outbound } from './outbound.ts'

export type Inbox = ReturnType<typeof createInbox<Line>>

/** The inbox: it runs commands, and gives all other messages to the agent. */
export const createInboxChapter = (
  { store, newId, now, log }: Base,
  { gatekeeper }: Gate,
  { dispatcher, chats, readers }: Outbound,
  prompts: Prompts,
  { ownerActs }: Acts,
  { table, prompt }: Commands,
): Inbox =>
  createInbox<Line>({
    parse: parseChat,
    lookUp: table.lookUp,
    press: table.press,
    cardReply: table.cardReply,
    pair: ownerActs.pair,
    ownerChats: chats.ofOwners,
    pairCode: (line) =>
      line.kind === 'command' && line.name === 'pair' ? firstWord(line.rest)[0] || undefined : undefined,
    admits: gatekeeper.admits,
    serves: chats.isConfigured,
    heard: readers.note,
    firstSeen: (message) => store.firstSeen(message, now()),
    notify: dispatcher.notify,
    prompt,
    record: store.addRecord,
    begin: prompts.begin,
    newId,
    now,
    log,
  })
