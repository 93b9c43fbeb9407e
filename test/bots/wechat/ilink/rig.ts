import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WechatyBuilder } from 'wechaty'
import type { WechatyInterface } from 'wechaty/impls'
import { log } from 'wechaty-puppet'
import { onTestFinished } from 'vitest'
import type { ILinkOptions } from '../../../../bots/wechat/ilink/ilink.ts'
import type { LoginCode, WechatOptions } from '../../../../bots/wechat/options.ts'
import { createWechat } from '../../../../bots/wechat/wechat.ts'
import type { ChannelPorts, Delivery } from '../../../../src/core/model/chat/channel.ts'
import { person, startILink } from '../../../fixtures/ilink/server.ts'
import { createNotes } from '../rig.ts'

log.level('silent')

interface RigOptions {
  readonly ilink?: ILinkOptions
  readonly ports?: Partial<ChannelPorts>
  readonly isLoggedIn?: boolean
  /** What somebody types at the console when asked for a number. */
  readonly typed?: (prompt: string) => Promise<string | undefined>
}

/**
 * The channel with its own puppet on a fake iLink server; `again` is hookgate after a restart, on the same
 * card.
 */
export const createRig = async ({
  ilink: more = {},
  ports: morePorts = {},
  isLoggedIn = true,
  typed,
}: RigOptions = {}) => {
  const ilink = await startILink()
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-ilink-'))
  const card = join(folder, 'wechat.json')
  const kept: { login?: string } = {}
  const logins: Pick<WechatOptions, 'recall' | 'remember'> = {
    recall: async () => kept.login,
    remember: async (login) => void (kept.login = login),
  }
  const running: { stop(): Promise<void> }[] = []
  onTestFinished(async () => {
    for (const channel of running) await channel.stop()
    await ilink.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const again = async (ports: Partial<ChannelPorts> = morePorts) => {
    const notes = createNotes()
    const shown: string[] = []
    const codes: (LoginCode | undefined)[] = []
    const nearlySpent: (readonly [chatId: string, left: number])[] = []
    const seen: { bot?: WechatyInterface } = {}
    const load = async () => ({
      WechatyBuilder: {
        build: (given: Parameters<typeof WechatyBuilder.build>[0]) =>
          (seen.bot = WechatyBuilder.build(given)),
      },
    })
    const bot = (): WechatyInterface => {
      if (seen.bot === undefined) throw new Error('wechaty was not built')
      return seen.bot
    }
    const channel = createWechat(
      {
        puppet: 'ilink',
        load,
        ilink: {
          root: ilink.root,
          cdn: ilink.cdnRoot,
          card,
          pauseMs: 5,
          sendIntervalMs: 0,
          backoffMs: 20,
          holdMs: 3000,
          ...more,
        },
        show: (lines) => shown.push(lines),
        shown: (code) => codes.push(code),
        ...(typed === undefined ? {} : { number: typed }),
        nearlySpent: (...word) => nearlySpent.push(word),
        ...logins,
      },
      { ...notes.ports, ...ports },
    )
    running.push(channel)
    await channel.start()
    const say = (text: string, to = person): Promise<Delivery> =>
      channel.deliver(notes.admit(notes.outgoing(to, text)))
    /** A notice of hookgate itself. */
    const notice = (text: string, to = person): Promise<Delivery> =>
      channel.deliver(notes.admit({ ...notes.outgoing(to, text), kind: 'notice' }))
    const isIn = () => ilink.waitFor(() => (channel.login?.() === '' ? undefined : channel.login?.()))
    return {
      ...notes,
      channel,
      bot,
      shown,
      codes,
      say,
      notice,
      nearlySpent,
      isIn,
      whys: () => notes.troubles.map(({ why }) => why),
    }
  }

  const gate = await again()
  if (isLoggedIn) {
    await ilink.waitFor(() => ilink.codes() === 1)
    ilink.confirm()
    await gate.isIn()
  }
  /** The person writes, and that has come in. */
  const hear = async (text: string, here: Pick<Awaited<ReturnType<typeof again>>, 'received'> = gate) => {
    const id = ilink.say(text)
    return ilink.waitFor(() => here.received.find(({ message_id }) => message_id === id))
  }
  let heardAt = -Infinity
  /** Before a push, which becomes at most ten messages: so many may leave after each that comes in. */
  const goOn = async (): Promise<void> => {
    if (ilink.sent.length === heardAt) return
    await hear('go on')
    heardAt = ilink.sent.length
  }
  return { ...gate, ilink, card, folder, again, hear, goOn }
}
