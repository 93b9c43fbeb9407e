import { failsHow, rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { choiceFacts, type PromotionChoice, decidesAlready } from '../../core/model/hooks/fault.ts'
import { named, ofHook, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import { handlerLines, optionLines, surroundingLines } from '../cards/binding.ts'
import { handlerLine, handlerWords } from '../cards/handler.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { CommandContext, CommandPorts } from '../ports.ts'
import { hookName, shippedIn, type ShippedPorts } from './shipped/shipped.ts'
import { canClose, canOpen, eventWords } from '../cards/row.ts'
import { ourWords, problemWords } from '../../shared/said/our-words.ts'

/** What an owner consents to: that a hook decides, that it is a shadow, or that a shadow decides. */
export type Consent = 'approve' | 'shadow' | 'promote'

/** The name of a hook for people. One without a name is called by its command. */
export const nameOf = (row: ListedHook, ports: ShippedPorts): Prose => {
  const ours = shippedIn(ports)(row)
  if (ours !== undefined || row.name !== undefined) return hookName(row, ours)
  return row.live === undefined ? handlerWords(row, 120) : named(handlerLine(row, 120))
}

/** The first line of a receipt. `isNew`: the consent changed something. */
const receiptHead = (consent: Consent, isNew: boolean, event: Prose): Prose => {
  switch (consent) {
    case 'approve':
      return isNew ? prose`✓ Approved: ${event}` : prose`✓ Already approved: ${event}`
    case 'shadow':
      return isNew ? prose`✓ Shadow: ${event}` : prose`✓ Already a shadow: ${event}`
    case 'promote':
      return isNew ? prose`✓ Promoted: ${event}` : prose`✓ Already approved: ${event}`
  }
}

/**
 * The receipt of an approval. `isShown`: its card showed all of it, so the receipt says what was sealed. A
 * typed approval may be of something that its owner has never seen, so its receipt shows everything.
 */
const receipt = (
  row: ListedHook,
  consent: Consent,
  isNew: boolean,
  isShown: boolean,
  ours: Entry | undefined,
): Prose => {
  const head = receiptHead(consent, isNew, eventWords(row.event))
  if (isShown) {
    const fails = prose`if it fails: ${failsHow(row) ?? []}`
    const sealed = ours === undefined ? surroundingLines(row, 'sealed') : []
    const lines = [hookName(row, ours), fails, ...sealed].map((line) => prose`  ${line}`)
    return ofHook(row.proposed ?? row.live, proseLines(head, ...lines))
  }
  const open =
    row.failsClosed === true || row.isShadow === true || !canClose(row)
      ? []
      : [prose`approved as “closed” it would block`]
  const [handler, ...more] = [handlerLines(row), optionLines(row), open, surroundingLines(row, 'sealed')]
  const lines = [head, ...(handler ?? []), ...more.flat().map((line) => prose`  ${line}`)]
  return ofHook(row.proposed ?? row.live, proseLines(...lines))
}

/** The reason why a choice has no effect for a hook, in words. */
const idleChoice = (row: ListedHook, choice: PromotionChoice | undefined): Prose | undefined => {
  if (choice === 'closed' && !canClose(row)) return prose`its failure cannot block anything`
  if (choice === 'open' && !canOpen(row)) return prose`its failures block only where its file says so`
  return undefined
}

/** The reason why a row cannot become a shadow, or cannot be promoted. */
const unfit = (
  row: ListedHook,
  consent: Consent,
  ports: CommandPorts,
  { owner, address }: CommandContext,
): Prose | undefined => {
  if (consent === 'shadow' && row.live !== undefined && row.isShadow !== true)
    return prose`✗ ${nameOf(row, ports)} did not become a shadow.\n${problemWords(decidesAlready)}`
  if (consent !== 'promote') return undefined
  if (row.live === undefined || row.isShadow !== true)
    return row.live === undefined
      ? prose`✗ ${nameOf(row, ports)} is not a shadow, so it cannot be promoted.`
      : prose`✗ ${nameOf(row, ports)} is not a shadow: it decides already.`
  if (row.status !== 'changed') return undefined
  const handle = verbatim(ports.handle(owner, address.chat_id, rowKey(row) ?? ''))
  return prose`✗ ${nameOf(row, ports)} was not promoted: its file has changed since it became a shadow.\n→ /hooks diff ${handle}\n→ /hooks shadow ${handle}`
}

/** The act of a consent. A promotion needs nothing of the file, because it takes what is sealed. */
const consentTo = (
  row: ListedHook & { readonly entry: NonNullable<ListedHook['entry']> },
  consent: Consent,
  ports: CommandPorts,
  { consent: word }: CommandContext,
  choice: PromotionChoice | undefined,
): ReturnType<CommandPorts['approve']> => {
  // To approve a shadow as it is sealed is to promote it.
  const isShadowNow = row.isShadow === true && row.live !== undefined
  if (isShadowNow && (consent === 'promote' || (consent === 'approve' && row.live === row.proposed)))
    return ports.promote(row.live, word, choice)
  return ports.approve(row.entry, word, row.proposed, consent === 'shadow' ? 'shadow' : choice)
}

/** Carries out the consent of an owner to one row. */
export const consentToRow = async (
  row: ListedHook,
  consent: Consent,
  ports: CommandPorts,
  context: CommandContext,
  said: PromotionChoice | undefined,
  isShown: boolean,
): Promise<{ readonly text: Prose; readonly isLive: boolean }> => {
  const why = unfit(row, consent, ports, context)
  if (why !== undefined) return { text: why, isLive: false }
  const isSealed = consent === 'promote'
  if (row.status === 'gone' && !isSealed)
    return {
      text:
        row.isUnheard === true
          ? prose`${nameOf(row, ports)} is already approved, and its node is not connected.`
          : prose`${nameOf(row, ports)} is already approved, and no file proposes it any longer.`,
      isLive: true,
    }
  const { entry } = row
  if (entry === undefined || (row.problem !== undefined && !isSealed)) {
    return {
      text: prose`✗ ${nameOf(row, ports)} cannot be approved.\n${row.problem === undefined ? prose`It is invalid.` : problemWords(row.problem)}`,
      isLive: false,
    }
  }
  // A hook that blocks by its file when it fails needs no choice.
  const choice = said === 'closed' && entry.onError === 'block' ? undefined : said
  const idle = idleChoice(row, choice)
  if (choice !== undefined && idle !== undefined) {
    const text = prose`✗ ${nameOf(row, ports)} was not approved: at ${eventWords(row.event)} ${idle}. Approve it without “${verbatim(choice)}”.`
    return { text, isLive: false }
  }
  const done = await consentTo({ ...row, entry }, consent, ports, context, choice)
  if (!done.ok)
    return {
      text: prose`✗ ${nameOf(row, ports)} was not approved.\n${problemWords(done.problem)}`,
      isLive: false,
    }
  // An older approval of the same place, which no file proposes any longer, ends with the newer one.
  const isLeft =
    row.live !== undefined &&
    row.live !== done.fingerprint &&
    ports.rows().some(({ live, status }) => live === row.live && status === 'gone')
  const left = isLeft && row.live !== undefined ? await ports.revoke(row.live, context.consent) : undefined
  ports.answered(row, true)
  const { failsClosed: _closed, failsOpen: _open, isShadow: _shadow, ...plain } = row
  const facts = choiceFacts(consent === 'shadow' ? 'shadow' : choice)
  const text = receipt(
    { ...plain, status: 'approved', ...facts },
    consent,
    done.isNew,
    isShown,
    shippedIn(ports)(row),
  )
  return {
    text:
      left?.isEnded === false
        ? prose`${text}\n⚠ The earlier version is still approved, too: ${ourWords(left.why)}`
        : text,
    isLive: true,
  }
}
