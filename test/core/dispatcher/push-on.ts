/**
 * A dispatcher over a real store and a messenger that is a file: an agent says what it has not been told the
 * end of, in every chat, until the process is killed. Each line of `arrived` is a message; each of `told` an
 * end that the agent heard. With a count it stops once each chat was told of so many, and the outbox is
 * empty.
 */
import { believing } from '../../consent.ts'
import { appendFileSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createMemory } from '../../../bots/memory/memory.ts'
import { connectDispatcher } from '../../../src/compose/outbound.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { Channel, ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { createFileStore } from '../../../src/store/files.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { verdictOn } from '../../verdict.ts'

const [, , folder = '', count = 'Infinity'] = process.argv
const most = Number(count)
const chats = ['a', 'b', 'c', 'd', 'e']
const atOnce = 4
const toldPath = join(folder, 'told')
appendFileSync(toldPath, '')
const heard = new Set(
  readFileSync(toldPath, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[0]),
)
const [arrived, told] = [openSync(join(folder, 'arrived'), 'a'), openSync(toldPath, 'a')]

const log = (): void => undefined
const store = await openSqliteStore({ path: join(folder, 'state.db'), log })
const ports: ChannelPorts = {
  receive: log,
  isAdmitted: (outgoing) => dispatcher.isAdmitted(outgoing),
  tripped: log,
  trouble: log,
  menu: [],
  now: Date.now,
  elapsedMs: () => performance.now(),
  log,
}
const memory = createMemory({}, ports)
const messenger: Channel = {
  ...memory,
  limits: [{ of: 'all', sends: 40, withinMs: 20 }],
  deliver: async (outgoing) => {
    if (Math.random() < 0.1) return { kind: 'retry', afterMs: Math.random() * 10, why: 'less', isLimit: true }
    if (outgoing.kind === 'push') writeSync(arrived, `${outgoing.text}\n`)
    await new Promise((done) => setTimeout(done, Math.random() * 3))
    return { kind: 'delivered' }
  },
}
let ids = 0
const { dispatcher } = connectDispatcher({
  judge: async (payload) => verdictOn(payload, 'allow', 1),
  gate: () => ({ revision: 1 }),
  inert: () => [],
  shadows: () => 0,
  isHeard: () => true,
  previews: () => true,
  ownerOf: believing,
  buttonsLeft: () => undefined,
  shown: () => undefined,
  translateFor: () => () => undefined,
  zoneFor: () => ({ name: 'UTC', isOwn: false }),
  ownerChats: () => [],
  channel: () => messenger,
  store,
  files: createFileStore(`${folder}/files`),
  workspace: folder,
  newId: () => `${process.pid}-${++ids}`,
  after: (delayMs, run) => void setTimeout(run, delayMs),
  elapsedMs: () => performance.now(),
  now: Date.now,
  log,
})
await dispatcher.restore()

const push = async (chat: string, number: number): Promise<void> => {
  const id = `${chat}:${number}`
  if (heard.has(id)) return
  for (;;) {
    const result = await dispatcher.push({
      push_id: id,
      agent_id: 'main',
      session_id: 's',
      cwd: folder,
      channel: 'memory',
      chat_id: chat,
      ...plain('text', id),
    })
    if ('outcome' in result && result.outcome !== 'queued')
      return void writeSync(told, `${id} ${result.outcome}\n`)
    await new Promise((done) => setTimeout(done, 5))
  }
}
const talk = async (chat: string): Promise<void> => {
  for (let number = 0; number < most; number += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, index) => push(chat, number + index)))
}
await Promise.all(chats.map(talk))
while ((await store.outbox()).length > 0) await new Promise((done) => setTimeout(done, 5))
await store.close()
process.exit(0)
