import type { Channel } from '../../model/chat/channel.ts'
import type { Notice } from '../../model/chat/notice.ts'
import { fixed, type Prose } from '../../model/chat/prose.ts'
import type { Address } from '../../model/chat/push.ts'
import { anchorKey, anchorText, readAnchor } from './anchor.ts'
import type { Gatekeeper } from '../gatekeeper.ts'

export interface AnchoringPorts {
  readonly gatekeeper: Pick<Gatekeeper, 'state' | 'checkAnchor' | 'noteAnchor'>
  /** The owners' private chats. */
  chats(): readonly Address[]
  channel(name: string): Pick<Channel, 'readAnchor'> | undefined
  /** Sends a notice that is kept pinned, in the place of the last one. */
  write(address: Address, notice: Notice): void
  alarm(about: 'ledger', text: Prose): void
  /** In which chats an anchor was seen, across restarts. */
  recall(): Promise<string | undefined>
  remember(chats: string): Promise<void>
  /** A clock that nobody can set, in milliseconds. */
  monotonicMs(): number
  log(level: 'warn' | 'info', what: string, fields?: Readonly<Record<string, string>>): void
}

/** Several changes in a row make one anchor: it is written when nothing changed for so long. In milliseconds. */
const quietMs = 2000
/** How long after an anchor was sent it is looked for. */
const confirmAfterMs = 10_000
const firstRetryMs = 15_000
const maxRetryMs = 10 * 60_000

interface AnchorChat {
  isBusy: boolean
  /** The state of the ledger that this chat was brought up to, or was found not to fit. */
  done?: string
  /** Something was sent: whether it is pinned is to be seen. */
  confirmAtMs?: number
  notBeforeMs: number
  failures: number
}

/** What doctor and the console's audit say where no anchor can be kept. */
export const noAnchorWords =
  'No connected messenger can keep an anchor: an older copy of the gate’s whole folder would pass.'

/**
 * Keeps, in each owner's chat whose messenger can pin, how far the ledger had come, and compares that with the ledger
 * before it is ever written anew. A messenger that is away is asked again; nothing waits for it.
 */
export const createAnchoring = (ports: AnchoringPorts) => {
  const { gatekeeper } = ports
  const places = new Map<string, AnchorChat>()
  let seen: Set<string> | undefined
  let moved = { key: '', atMs: 0 }

  const keyOf = ({ channel, chat_id }: Address): string => `${channel}:${chat_id}`
  const keyNow = (): string => anchorKey(gatekeeper.state())
  const setSeen = (chat: string, isThere: boolean): void => {
    if (seen === undefined || seen.has(chat) === isThere) return
    if (isThere) seen.add(chat)
    else seen.delete(chat)
    ports
      .remember([...seen].join('\n'))
      .catch(() => ports.log('warn', 'where an anchor is kept could not be remembered'))
  }

  const write = (address: Address, place: AnchorChat): void => {
    const { revision, head } = gatekeeper.state()
    gatekeeper.noteAnchor({ revision, head }, keyOf(address))
    ports.write(address, { text: anchorText({ revision, head }), isAnchor: true })
    place.confirmAtMs = ports.monotonicMs() + confirmAfterMs
  }

  /** What is pinned there, compared; and, unless that was only looked for, brought up to date. */
  const settle = (address: Address, place: AnchorChat, text: string | undefined, mayWrite: boolean): void => {
    const chat = keyOf(address)
    const anchor = text === undefined ? undefined : readAnchor(text)
    const is = anchor === undefined ? 'gone' : gatekeeper.checkAnchor(anchor, chat)
    place.done = keyNow()
    if (anchor !== undefined) setSeen(chat, true)
    if (!mayWrite || is === 'same' || gatekeeper.state().lockdown !== undefined) return
    if (is === 'gone' && seen?.has(chat) === true) {
      setSeen(chat, false)
      ports.alarm(
        'ledger',
        fixed(
          [
            `⚠ The pinned notice of the ledger was gone in ${address.channel}; it is pinned anew.`,
            'It shows if the gate was put back to an older state. Leave it pinned.',
          ].join('\n'),
        ),
      )
    }
    write(address, place)
  }

  const pass = async (
    address: Address,
    place: AnchorChat,
    read: () => Promise<string | undefined>,
    mayWrite: boolean,
  ): Promise<void> => {
    try {
      seen ??= new Set((await ports.recall())?.split('\n'))
      const text = await read()
      place.failures = 0
      settle(address, place, text, mayWrite)
    } catch {
      place.notBeforeMs = ports.monotonicMs() + Math.min(maxRetryMs, firstRetryMs * 2 ** place.failures)
      place.failures += 1
      ports.log('info', 'an anchor could not be read', { channel: address.channel })
    } finally {
      place.isBusy = false
    }
  }

  const lookAt = (address: Address, nowMs: number): void => {
    const channel = ports.channel(address.channel)
    if (channel?.readAnchor === undefined) return
    const place = places.get(keyOf(address)) ?? { isBusy: false, notBeforeMs: 0, failures: 0 }
    places.set(keyOf(address), place)
    if (place.isBusy || nowMs < place.notBeforeMs) return
    const isBehind = place.done !== moved.key
    const isQuiet = place.done === undefined || nowMs - moved.atMs >= quietMs
    const isToConfirm = place.confirmAtMs !== undefined && nowMs >= place.confirmAtMs
    if (!(isBehind && isQuiet) && !isToConfirm) return
    delete place.confirmAtMs
    place.isBusy = true
    void pass(
      address,
      place,
      () => channel.readAnchor?.(address.chat_id) ?? Promise.resolve(undefined),
      isBehind,
    )
  }

  return {
    /** To be called often: about every second while the gate runs. Returns at once. */
    look: (): void => {
      const nowMs = ports.monotonicMs()
      if (moved.key !== keyNow()) moved = { key: keyNow(), atMs: nowMs }
      for (const address of ports.chats()) lookAt(address, nowMs)
    },
    /** Words when no owner's chat can keep an anchor. */
    missing: (): string | undefined =>
      ports.chats().some(({ channel }) => ports.channel(channel)?.readAnchor !== undefined)
        ? undefined
        : noAnchorWords,
  }
}
