import { wayOut } from '../../shared/gate/recovery.ts'
import { failsHow, rowKey, statusWords, type ListedHook } from '../../shared/gate/catalogue.ts'
import { fromTable, prose, type Prose } from '../../core/model/chat/prose.ts'
import type { Address } from '../../core/model/chat/push.ts'
import { optionLines, plainLinesFor, surroundingLines, withoutDescription } from './binding.ts'
import { heldOnPage } from '../families/held.ts'
import { standingGuards, tapEffect } from '../families/shipped/protect.ts'
import { hookName, shippedIn } from '../families/shipped/shipped.ts'
import { handlerLine, wholeHandler } from './handler.ts'
import type { CommandPorts } from '../ports.ts'
import { powers } from '../powers.ts'
import { canTry, changedWords, digestOf, isWaiting, shadowWords, whenWords } from './row.ts'
import { agoWords } from '../words.ts'
import { fixedWords } from '../../shared/said/our-words.ts'

/** A QR code that somebody has to scan. `text`: as the messenger gave it. `rows`: the code as drawn lines. */
export interface LoginCode {
  readonly text: string
  readonly expiresAtMs: number
  readonly rows?: readonly string[]
}

/** Keeps the pages that show `preferencesOf`, and tells them when it may have changed. */
export const createViewers = () => {
  const viewers = new Set<() => void>()
  let code: LoginCode | undefined
  const look = (): void => {
    for (const viewer of viewers) viewer()
  }
  return {
    look,
    /** The code that logs a messenger in, while it is valid. */
    wechatLogin: (): LoginCode | undefined => code,
    showWechatLogin: (shown: LoginCode | undefined): void => {
      if (code === shown) return
      code = shown
      look()
    },
    add: (viewer: () => void): (() => void) => {
      viewers.add(viewer)
      return () => void viewers.delete(viewer)
    },
  }
}

/** The longest name of a hook on the page, in characters, when its file gives none. */
const maxNameChars = 60

/** The name of a hook for a button of its card: the name that its file gives, or its handler. */
export const pageName = (row: ListedHook): string => row.name ?? handlerLine(row, maxNameChars)

/** What a person has to know first: that it changed, what it misses on this machine, and what is wrong. */
const warningLines = (row: ListedHook): readonly Prose[] => [
  ...(row.status === 'changed' ? [changedWords(row)] : []),
  ...surroundingLines({ ...row, files: [], watched: [], unsealed: [] }),
]

/**
 * The list as the web page shows it: the same rows and words as `/hooks`, for the owner of that page. Each
 * row has all that an approval would bind, as a card does, and its handle approves that and nothing else.
 * `page`: the chat of the page, whose people read all of it in their language.
 */
export const preferencesOf = (ports: CommandPorts, owner: string, page: Address, wechatLogin?: LoginCode) => {
  const { isOn, lockdown } = ports.gate()
  const plain = plainLinesFor(ports, page)
  const lang = ports.readers.chosenOf(page)
  const zone = ports.readers.zoneOf(page)
  const rows = ports.rows()
  const guards = standingGuards(rows, ports)
  const effectOfTap = tapEffect(rows, guards, isOn)
  const shippedOf = shippedIn(ports)
  return {
    lang,
    zone: zone.isOwn ? zone.name : undefined,
    isOn,
    held: heldOnPage(ports, owner, page.chat_id, plain),
    lockdown: lockdown && plain(prose`${fixedWords(lockdown)}. ${wayOut(lockdown)}`),
    wechatLogin: wechatLogin && wechatLogin.expiresAtMs > ports.now() ? wechatLogin : undefined,
    guards: guards.map(({ name, title, effect, approved }) => ({
      name,
      title: plain(title),
      effect: plain(effect),
      isApproved: approved.length > 0,
    })),
    tapEffect: effectOfTap && plain(effectOfTap),
    rows: rows.map((row) => {
      const key = rowKey(row)
      const shipped = shippedOf(row)
      const [when, fails] = [whenWords(row), failsHow(row)]
      const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
      return {
        handle: key === undefined ? '' : ports.pageHandle(owner, page.chat_id, key, digestOf(row) ?? ''),
        isShipped: shipped !== undefined,
        name: shipped === undefined ? row.name : plain(hookName(row, shipped)),
        description:
          shipped === undefined
            ? (row.entry?.description ?? (when && plain(prose`may: ${powers(row.event)}`)))
            : plain(fromTable(shipped.description ?? '')),
        when: when && plain(when),
        fails: fails && plain(fails),
        warnings: warningLines(row).map(plain),
        fired: firedMs === undefined ? undefined : plain(prose`last fired ${agoWords(firedMs, ports.now())}`),
        event: row.event,
        command: wholeHandler(row),
        status: plain(statusWords(row)),
        isLive: row.live !== undefined && row.isShadow !== true && isOn && lockdown === undefined,
        isApproved: row.live !== undefined,
        canApprove: isWaiting(row),
        isChanged: row.status === 'changed',
        canTry: canTry(row),
        canPromote: row.status === 'approved' && row.isShadow === true,
        hasFiles: row.files.length + (row.watched?.length ?? 0) > 0,
        isStopped: row.isStopped,
        details: [
          ...[shadowWords(row, ports)].flatMap((words) => (words === undefined ? [] : [plain(words)])),
          ...optionLines(shipped === undefined ? withoutDescription(row) : row).map(plain),
          ...surroundingLines(row).map(plain),
        ],
      }
    }),
  }
}

export type Viewers = ReturnType<typeof createViewers>
