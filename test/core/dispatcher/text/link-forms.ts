import { fromMarkdown } from '../../../../src/agents/tools/messages.ts'
import type { Channel, ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { AgentPush, OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { createRig } from '../rig.ts'

/** The dispatcher over a real bot, without its limits, which would let one message out a second. */
export const startOver = async (start: (ports: Pick<ChannelPorts, 'isAdmitted'>) => Promise<Channel>) => {
  const made: { isAdmitted(outgoing: OutgoingMessage): boolean } = { isAdmitted: () => false }
  const channel = await start({ isAdmitted: (outgoing) => made.isAdmitted(outgoing) })
  const rig = await createRig({ wrap: () => ({ ...channel, limits: [] }) })
  made.isAdmitted = (outgoing) => rig.dispatcher.isAdmitted(outgoing)
  return rig
}

const eights = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.flatMap((_, at) => (at % 8 === 0 ? [all.slice(at, at + 8)] : []))
const buttons = (addresses: readonly string[]): AgentPush['parts'] =>
  addresses.flatMap((address, at) => [
    { field: `button.${at}.label`, text: 'Approve' },
    { field: `button.${at}.url`, text: address },
  ])
const links = (word: string, addresses: readonly string[]): Partial<AgentPush> => ({
  text: addresses.map(() => word).join('\n'),
  marks: addresses.map((_, at) => ({
    type: 'link',
    offset: at * (word.length + 1),
    length: word.length,
    field: `link.${at}`,
  })),
  parts: addresses.map((address, at) => ({ field: `link.${at}`, text: address })),
})
const picture = {
  type: 'photo',
  files: [{ name: 'a.png', type: 'image/png', bytes: Buffer.from('x') }],
} as const
type Forms = Readonly<
  Record<
    string,
    (addresses: readonly string[]) => Promise<readonly Partial<AgentPush>[]> | readonly Partial<AgentPush>[]
  >
>
/** All that an agent can do with an address, each with many of them. */
export const forms: Forms = {
  words: (addresses) => [{ text: addresses.join('\n') }],
  'words in a sentence': (addresses) => [
    { text: addresses.map((one) => `Open (${one}), please.`).join(' ') },
  ],
  'words behind Chinese': (addresses) => [{ text: addresses.map((one) => `请点击：${one}`).join('\n') }],
  'links of Markdown': async (addresses) => [
    await fromMarkdown(addresses.map((one) => `[Approve](<${one}>)`).join(' ')),
  ],
  'links of HTML': async (addresses) => [
    await fromMarkdown(addresses.map((one) => `<a href="${one}">Approve</a>`).join(' ')),
  ],
  'links on words': (addresses) => [links('Approve', addresses)],
  'links on commands': (addresses) => [links('/hooks off', addresses)],
  buttons: (addresses) => eights(addresses).map((some) => ({ text: 'It waits.', parts: buttons(some) })),
  'buttons under pictures': (addresses) =>
    eights(addresses).map((some) => ({ ...picture, text: some[0] ?? '', parts: buttons(some) })),
}

/** What is an address at all; what is none is refused where one has to stand. */
export const valid = (addresses: readonly string[]): readonly string[] =>
  addresses.filter((one) => URL.canParse(one))
