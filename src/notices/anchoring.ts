import type { Channel } from '../core/model/chat/channel.ts'
import type { Notice } from '../core/model/chat/notice.ts'
import { fixed, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'
import type { Address } from '../core/model/chat/push.ts'
import { anchorKey, shortHead, type Anchor, type AnchorComparison } from '../core/model/gate/anchor.ts'

export interface AnchoringPorts {
  readonly gatekeeper: {
    state(): Anchor & { readonly lockdown?: string }
    /** Compares an anchor with the ledger. One that the ledger does not contain causes a lockdown. */
    checkAnchor(anchor: Anchor, where: string): AnchorComparison
    noteAnchor(anchor: Anchor, where: string): void
  }
  /** False while another gate may work with the ledger. Then a newer anchor is no sign of a rollback. */
  isInCharge(): boolean
  /** The private chats of the owners. */
  chats(): readonly Address[]
  channel(name: string): Pick<Channel, 'readAnchor'> | undefined
  /** Sends a notice and pins it in place of the last one. */
  write(address: Address, notice: Notice): void
  alarm(about: 'ledger', text: Prose): void
  /** The chats in which an anchor was seen, as stored across restarts. */
  recall(): Promise<string | undefined>
  remember(chats: string): Promise<void>
  /** A monotonic clock, in milliseconds. */
  monotonicMs(): number
  log(level: 'warn' | 'info', what: string, fields?: Readonly<Record<string, string>>): void
}

/**
 * An anchor is sent when nothing has changed for this long, so that several changes in a row need one anchor.
 * In milliseconds.
 */
const quietMs = 2000
/** The time between sending an anchor and checking that it is pinned, in milliseconds. */
const confirmAfterMs = 10_000
const firstRetryMs = 15_000
const maxRetryMs = 10 * 60_000

interface AnchorChat {
  isBusy: boolean
  /** The anchor key that this chat was last compared with. */
  done?: string
  /** When to check that the anchor that was sent is pinned. */
  confirmAtMs?: number
  notBeforeMs: number
  failures: number
}

/** The sentence of doctor and of the console's audit when no anchor can be pinned. */
export const noAnchorWords = fixed(
  'No messenger can pin a checkpoint, so a rollback of the folder would go unnoticed.',
)

/**
 * Pins an anchor in the chat of each owner whose messenger can pin. Before it replaces a pinned anchor, it
 * compares that anchor with the ledger. A messenger that cannot be reached is asked again later; nothing
 * waits for it.
 */
export const createAnchoring = (ports: AnchoringPorts) => {
  const { gatekeeper } = ports
  const chatStates = new Map<string, AnchorChat>()
  let seen: Set<string> | undefined
  let lastChange = { key: '', atMs: 0 }

  const keyOf = ({ channel, chat_id }: Address): string => `${channel}:${chat_id}`
  const keyNow = (): string => anchorKey(gatekeeper.state())
  const setSeen = (chat: string, isThere: boolean): void => {
    if (seen === undefined || seen.has(chat) === isThere) return
    if (isThere) seen.add(chat)
    else seen.delete(chat)
    ports
      .remember([...seen].join('\n'))
      .catch(() => ports.log('warn', 'the list of chats with an anchor could not be stored'))
  }

  const write = (address: Address, chatState: AnchorChat): void => {
    const { revision, head } = gatekeeper.state()
    gatekeeper.noteAnchor({ revision, head }, keyOf(address))
    ports.write(address, { text: anchorText({ revision, head }), isAnchor: true })
    chatState.confirmAtMs = ports.monotonicMs() + confirmAfterMs
  }

  /** Compares the pinned text with the ledger and, when `mayWrite`, sends a new anchor if one is needed. */
  const settle = (
    address: Address,
    chatState: AnchorChat,
    text: string | undefined,
    mayWrite: boolean,
  ): void => {
    const chat = keyOf(address)
    const anchor = text === undefined ? undefined : readAnchor(text)
    const comparison = anchor === undefined ? 'gone' : gatekeeper.checkAnchor(anchor, chat)
    chatState.done = keyNow()
    if (anchor !== undefined) setSeen(chat, true)
    if (!mayWrite || comparison === 'same' || gatekeeper.state().lockdown !== undefined) return
    if (comparison === 'gone' && seen?.has(chat) === true) {
      setSeen(chat, false)
      ports.alarm(
        'ledger',
        prose`⚠ The pinned checkpoint in ${verbatim(address.channel)} was missing, so hookgate pins a new one.\nIt shows if the gate was put back to an older state. Leave it pinned.`,
      )
    }
    write(address, chatState)
  }

  const updateChat = async (
    address: Address,
    chatState: AnchorChat,
    read: () => Promise<string | undefined>,
    mayWrite: boolean,
  ): Promise<void> => {
    try {
      seen ??= new Set((await ports.recall())?.split('\n'))
      const text = await read()
      chatState.failures = 0
      if (!ports.isInCharge()) return
      settle(address, chatState, text, mayWrite)
    } catch {
      chatState.notBeforeMs =
        ports.monotonicMs() + Math.min(maxRetryMs, firstRetryMs * 2 ** chatState.failures)
      chatState.failures += 1
      ports.log('info', 'an anchor could not be read', { channel: address.channel })
    } finally {
      chatState.isBusy = false
    }
  }

  const checkChat = (address: Address, nowMs: number): void => {
    const channel = ports.channel(address.channel)
    if (channel?.readAnchor === undefined) return
    const chatState = chatStates.get(keyOf(address)) ?? { isBusy: false, notBeforeMs: 0, failures: 0 }
    chatStates.set(keyOf(address), chatState)
    if (chatState.isBusy || nowMs < chatState.notBeforeMs) return
    const isBehind = chatState.done !== lastChange.key
    const isQuiet = chatState.done === undefined || nowMs - lastChange.atMs >= quietMs
    const isToConfirm = chatState.confirmAtMs !== undefined && nowMs >= chatState.confirmAtMs
    if (!(isBehind && isQuiet) && !isToConfirm) return
    delete chatState.confirmAtMs
    chatState.isBusy = true
    void updateChat(
      address,
      chatState,
      () => channel.readAnchor?.(address.chat_id) ?? Promise.resolve(undefined),
      isBehind,
    )
  }

  return {
    /** Must be called about every second while the gate runs. Returns at once. */
    look: (): void => {
      const nowMs = ports.monotonicMs()
      if (lastChange.key !== keyNow()) lastChange = { key: keyNow(), atMs: nowMs }
      if (!ports.isInCharge()) return
      for (const address of ports.chats()) checkChat(address, nowMs)
    },
    /** True when no chat is being asked for its anchor. */
    isSettled: (): boolean => [...chatStates.values()].every(({ isBusy }) => !isBusy),
    /** The warning when no owner's chat can pin an anchor. Undefined when one can. */
    missing: (): Prose | undefined =>
      ports.chats().some(({ channel }) => ports.channel(channel)?.readAnchor !== undefined)
        ? undefined
        : noAnchorWords,
  }
}

/**
 * The text of the notice that stays pinned in an owner's chat. The gate reads its first lines in any
 * language.
 */
export const anchorText = ({ revision, head }: Anchor): Prose =>
  prose`${verbatim(`hookgate ledger\nrevision ${revision} · head ${shortHead(head)}`)}\nIt shows if the gate was put back to an older state. Leave it pinned.`
/**
 * The text as the dispatcher sends it. The mark at its begin is removed from every text that is no notice, so
 * only notices have it.
 */
const written = /^🛡\uFE0F? hookgate ledger\nrevision ([1-9]\d{0,14}) · head ([0-9a-f]{12})\n[^\n]+$/u
/** Reads the anchor from a pinned text. Undefined when the text holds none. Pure. */
export const readAnchor = (text: string): Anchor | undefined => {
  const [, revision, head] = text.length > 500 ? [] : (written.exec(text) ?? [])
  return revision === undefined || head === undefined ? undefined : { revision: Number(revision), head }
}
