import { wayOut } from '../../shared/gate/recovery.ts'
import { rowKey, statusWords, type ListedHook } from '../../shared/gate/catalogue.ts'
import { prose, verbatim } from '../../core/model/chat/prose.ts'
import type { Address } from '../../core/model/chat/push.ts'
import { optionLines, plainLinesFor, surroundingLines } from './binding.ts'
import { heldOnPage } from '../families/held.ts'
import { isProtectionProposed, standingGuards, tapEffect } from '../families/shipped/protect.ts'
import { handlerLine, wholeHandler } from './handler.ts'
import type { CommandPorts } from '../ports.ts'
import { canTry, changedWords, digestOf, isWaiting, shadowWords } from './row.ts'
import { agoWords } from '../words.ts'

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

/** The options without the description, which the page shows first. */
const withoutDescription = (row: ListedHook): ListedHook => {
  if (row.entry === undefined) return row
  const { description: _, ...entry } = row.entry
  return { ...row, entry }
}

/**
 * The list as the web page shows it: the same rows and words as `/hooks`, for the owner of that page. Each
 * row shows all that an approval would bind, as a card does, and its handle approves that and nothing else.
 * `page`: the chat of the page, whose people read all of it in their language.
 */
export const preferencesOf = (ports: CommandPorts, owner: string, page: Address, wechatLogin?: LoginCode) => {
  const { isOn, lockdown } = ports.gate()
  const plain = plainLinesFor(ports, page)
  const lang = ports.readers.chosenOf(page)
  const rows = ports.rows()
  const guards = standingGuards(rows, ports)
  const effectOfTap = tapEffect(rows, guards, isOn)
  return {
    lang,
    isOn,
    held: heldOnPage(ports, owner, page.chat_id, plain),
    lockdown: lockdown && plain(prose`${verbatim(lockdown)}. ${wayOut(lockdown)}`),
    wechatLogin: wechatLogin && wechatLogin.expiresAtMs > ports.now() ? wechatLogin : undefined,
    guards: guards.map(({ name, title, effect, approved }) => ({
      name,
      title: plain(title),
      effect: plain(effect),
      isApproved: approved.length > 0,
    })),
    tapEffect: effectOfTap && plain(effectOfTap),
    isProtectionProposed: isProtectionProposed(guards),
    rows: rows.map((row) => {
      const key = rowKey(row)
      const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
      return {
        handle: key === undefined ? '' : ports.pageHandle(owner, page.chat_id, key, digestOf(row) ?? ''),
        name: row.name,
        description: row.entry?.description,
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
        details: [
          ...(firedMs === undefined ? [] : [plain(prose`last fired ${agoWords(firedMs, ports.now())}`)]),
          ...(row.status === 'changed' ? [plain(changedWords(row))] : []),
          ...[shadowWords(row, ports)].flatMap((words) => (words === undefined ? [] : [plain(words)])),
          ...[...optionLines(withoutDescription(row)), ...surroundingLines(row)].map(plain),
        ],
      }
    }),
  }
}

export type Viewers = ReturnType<typeof createViewers>
