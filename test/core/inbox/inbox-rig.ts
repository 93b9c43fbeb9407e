import { parseChat, type Line } from '../../../src/core/commands/parse.ts'
import { codeIn, isGreeting } from '../../../src/compose/inbox.ts'
import { chatsOf } from '../../../src/chats/chats.ts'
import { createPairTalk, type PairPorts } from '../../../src/chats/pair.ts'
import { createInbox, type InboxPorts } from '../../../src/core/inbox/receive.ts'
import { createPrompts } from '../../../src/prompts/prompts.ts'
import { createGivenPrompts } from '../../../src/prompts/given-prompts.ts'
import type { Message } from '../../../src/core/model/chat/channel.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import { textOf, type BridgeService } from '../../commands/rig.ts'
import { aMessage } from '../gatekeeper/gate-fixture.ts'

export interface Inbox {
  /** One message and everything that came of it. */
  get(message: Partial<Message>): Promise<{
    readonly said: readonly string[]
    readonly records: readonly EventRecord[]
    readonly prompts: readonly string[]
  }>
  receive(message: Message): Promise<unknown>
  readonly said: string[]
  readonly records: EventRecord[]
  readonly prompts: Parameters<InboxPorts<Line>['prompt']>[0][]
}

export interface InboxChanges
  extends Partial<InboxPorts<Line>>, Partial<Pick<PairPorts, 'isClaimed' | 'paired'>> {}

/**
 * The inbox over the real gate, commands and store. A message is done with when the store has answered what
 * was asked after it.
 */
export const openInbox = (desk: BridgeService, over: InboxChanges = {}): Inbox => {
  const said: string[] = []
  const records: EventRecord[] = []
  const prompts: Inbox['prompts'] = []
  let count = 0
  let open = 0
  const { isClaimed = () => true } = over
  const notify: InboxPorts<Line>['notify'] = async (_, words) => void said.push(textOf(words))
  const inbox = createInbox<Line>({
    parse: parseChat,
    lookUp: desk.table.lookUp,
    press: desk.table.press,
    cardReply: desk.table.cardReply,
    pairCode: (line) => codeIn(line, isClaimed()),
    isGreeting,
    ...createPairTalk({
      pair: desk.gatekeeper.pairing.pair,
      paired: over.paired ?? (() => undefined),
      ownerChats: desk.ports.ownerChats,
      isClaimed,
      notify,
      now: desk.ports.now,
    }),
    ...desk.hearing,
    privateChat: (id) => chatsOf(desk.gatekeeper.state().people.filter((person) => person.id === id))[0],
    serves: ({ chat_id }) => chat_id === 'group',
    heard: () => undefined,
    firstSeen: (message) => desk.store.firstSeen(message, desk.ports.now()),
    notify,
    begin: createPrompts({
      given: createGivenPrompts(),
      store: desk.store,
      agentOf: () => 'main',
      nodeOf: () => undefined,
      notify: async () => undefined,
      working: () => undefined,
      newId: () => `p-${++count}`,
      after: () => undefined,
      now: desk.ports.now,
      log: () => undefined,
      isOwner: () => true,
      tellOwners: () => undefined,
      record: () => undefined,
    }).begin,
    prompt: async (prompt) => void prompts.push(prompt),
    record: (record) => void records.push(record),
    newId: () => `id-${++count}`,
    now: desk.ports.now,
    log: () => undefined,
    ...over,
  })
  return {
    said,
    records,
    prompts,
    receive: inbox.receive,
    get: async (message) => {
      const from = [said.length, records.length, prompts.length] as const
      const whole = aMessage({ sentAtMs: desk.ports.now(), message_id: `m${++open}`, ...message })
      await inbox.receive(whole)
      // Two turns of the store and of everything that waits for it.
      for (let turn = 0; turn < 2; turn++) await desk.store.getFact('nothing')
      await new Promise((done) => setImmediate(done))
      await desk.settled()
      return {
        said: said.slice(from[0]),
        records: records.slice(from[1]),
        prompts: prompts.slice(from[2]).map(({ text }) => text),
      }
    },
  }
}
