import { createHash } from 'node:crypto'
import { plain, type KeptFile, type Mark, type TextField } from '../../model/chat/content.ts'
import { isObject } from '../../model/base/json.ts'
import { noticeMark, type Notice } from '../../model/chat/notice.ts'
import {
  fixed,
  fromTable,
  handlesIn,
  hasParts,
  inEnglish,
  inLanguage,
  prose,
  type PlainSpan,
  type Prose,
  type Translate,
  verbatim,
} from '../../model/chat/prose.ts'
import type { Zone } from '../../model/chat/zone.ts'
import type { Address } from '../../model/chat/push.ts'
import type { JudgedPush, ShownHandles } from '../judged.ts'
import type { Fire } from '../fire.ts'
import { visibleText } from '../text/text.ts'

/** The time in which hooks may judge all quoted parts of a notice together, in milliseconds. */
export const noticeDeadlineMs = 3000

export interface NoticePorts {
  readonly fire: Fire
  gate(): { readonly revision: number; readonly lockdown?: string }
  readonly workspace: string
  /** The translation of our words into the language of the people in a chat. */
  translateFor(address: Address): Translate
  /** The time zone of the people in a chat. */
  zoneFor(address: Address): Zone
  after(delayMs: number, run: () => void): void
}

/**
 * The hooks get this much less time than the notice, in milliseconds, so that a late hook can still be named.
 */
const namingMs = 200

/**
 * A hook may make a quote longer by this many UTF-16 units. A quote that grew more is shown by its two ends.
 */
const maxAddedUnits = 600

/** `hook`: the fingerprint of the hook whose own words it is. */
interface OwnedQuote {
  readonly text: string
  readonly hook: string | undefined
}

/** `isLate`: no hook objected, but one did not answer in time. */
interface WithheldQuote {
  readonly withheldBy: string
  readonly isLate?: boolean
}

/**
 * `changedBy`: the hook that changed it without a visible mark. `hiddenBy`: the hook that hid a part of it.
 */
type QuoteResult =
  | { readonly text: string; readonly changedBy?: string; readonly hiddenBy?: string }
  | WithheldQuote

/**
 * What the hooks left of several quotes. `parts`: each quote. `isSame`: nothing was changed. `isOpen`: only
 * secrets were removed, and a mark stands for each.
 */
interface RewrittenQuotes {
  readonly text: string
  readonly parts: readonly string[]
  readonly isSame: boolean
  readonly isOpen: boolean
  readonly by: string
}
type JudgedQuote = WithheldQuote | RewrittenQuotes

/** The text of a file with everything visible. Its lines stay lines. */
const visibleLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => visibleText(line, true))
    .join('\n')

/** A changed quote with everything visible. Only the text of a file has lines, so no other quote gets one. */
const visibleLike = (original: string, text: string, isWhole: boolean): string =>
  original.includes('\n') ? visibleLines(text) : visibleText(text, isWhole)

/**
 * A quote after the hooks' change of `original`. Even one added word can change its meaning, so only the mark
 * in the place of a secret hides nothing.
 */
const changedQuote = ({ isOpen, by }: RewrittenQuotes, text: string, original: string): QuoteResult => {
  const isWhole = text.length <= original.length + maxAddedUnits
  const shown = visibleLike(original, text, isWhole)
  return { text: shown, ...(isOpen ? {} : { changedBy: by }), ...(isOpen && isWhole ? {} : { hiddenBy: by }) }
}

/** Breaks what a messenger would make a tappable command of. Code cannot do that inside a spoiler. */
const untappable = (text: string): string => text.replaceAll(/\/(?=[\p{L}\p{N}_])/gu, '/\u2060')

/** The text of a notice, with a mark for each quote that the owner asked to read. */
const withSpoilers = (
  spans: readonly PlainSpan[],
): { readonly text: string; readonly marks: readonly Mark[] } => {
  let text = `${noticeMark} `
  const marks: Mark[] = []
  for (const span of spans) {
    const words = 'fixed' in span ? span.fixed : span.quoted
    if ('quoted' in span && span.isShown === true && words !== '')
      marks.push({ type: 'spoiler', offset: text.length, length: words.length })
    text += words
  }
  return { text, marks }
}

/** The lines under a card when a hook hid a part of it. */
const hiddenLines = fixed(
  '\n⚠ A hook hid part of this, so you cannot say yes to it here. Revoke that hook, or turn hooks off and look again:\n→ /hooks off 15m',
)

/** The hook that withheld a quote or hid a part of one. */
const hiderOf = (quotes: readonly QuoteResult[]): string | undefined => {
  const hiders = quotes.map((quote) => ('withheldBy' in quote ? quote.withheldBy : quote.hiddenBy))
  return hiders.find((hider) => hider !== undefined)
}

/** What stands for each quote where the hooks were too late for all of them. */
const leftOut = '[…]'

/** The hook that was too late, where that withheld several quotes and nothing else happened to any. */
const lateForAll = (quotes: readonly QuoteResult[]): string | undefined =>
  quotes.length > 1 && quotes.every((quote) => 'withheldBy' in quote && quote.isLate === true)
    ? hiderOf(quotes)
    : undefined

/** Who withheld or changed a quote. Some hooks have a name in the language of the reader. */
const whoWords = (by: string): Prose => fromTable(visibleText(by))

/** The line under a notice whose quotes are all left out, because hooks were too late. */
const lateLine = (by: string): Prose =>
  prose`\n⚠ ${verbatim(leftOut)}: left out, because ${whoWords(by)} did not judge this notice within ${noticeDeadlineMs / 1000} s. Ask again when this machine has less to do, or turn hooks off and look:\n→ /hooks off 15m`

/** The words that stand for a quote in the notice. */
const quotedWords = (quoted: QuoteResult): Prose => {
  if ('withheldBy' in quoted) return prose`[withheld by ${whoWords(quoted.withheldBy)}]`
  return quoted.changedBy === undefined
    ? verbatim(quoted.text)
    : prose`${verbatim(quoted.text)} [changed by ${whoWords(quoted.changedBy)}]`
}

/** The quotes as hooks rewrote them. Undefined when nothing changed, or when a quote is missing. */
const rewritten = (asked: JudgedQuote, texts: readonly string[]): readonly QuoteResult[] | undefined =>
  'withheldBy' in asked ||
  asked.parts.length !== texts.length ||
  asked.parts.every((text, index) => text === texts[index])
    ? undefined
    : asked.parts.map((text, index) =>
        text === texts[index]
          ? { text: visibleLike(text, text, true) }
          : changedQuote(asked, text, texts[index] ?? ''),
      )

/** The file beside a notice as the hooks left it, or why it is left out. */
interface JudgedFile {
  readonly files: readonly KeptFile[]
  readonly parts: readonly TextField[]
  readonly line: Prose
}
const noFile: JudgedFile = { files: [], parts: [], line: [] }

const lostFile = (handle: string): Prose =>
  prose`⚠ The file of ${verbatim(handle)} could not be sent to this chat.`

const judgedFile = (
  quotes: readonly QuoteResult[],
  handle: string,
  ours: (text: Prose) => string,
): JudgedFile => {
  const [name, text] = quotes
  if (name === undefined || text === undefined) return noFile
  if ('withheldBy' in name || 'withheldBy' in text) {
    const by = whoWords(hiderOf([name, text]) ?? 'hookgate')
    return { ...noFile, line: prose`\n⚠ The file is left out: [withheld by ${by}]` }
  }
  const by = name.changedBy ?? text.changedBy
  const bytes = new TextEncoder().encode(text.text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    files: [{ sha256, size: bytes.length, type: 'text/plain', text: text.text }],
    parts: [
      { field: 'file.0.name', text: name.text },
      { field: 'file.0.handle', text: handle },
      { field: 'file.0.lost', text: ours(lostFile(handle)) },
    ],
    line: by === undefined ? [] : prose`\n⚠ The file: [changed by ${whoWords(by)}]`,
  }
}

/** Asks the hooks about the quoted parts of a notice, within its time. */
const createQuoteJudge = (ports: NoticePorts) => {
  const ask = async (
    address: Address,
    texts: readonly string[],
    deadlineMs: number,
    hook: string | undefined,
  ): Promise<JudgedQuote> => {
    const notification = texts.join('\n')
    const parts = texts.length < 2 ? [] : texts.map((text, index) => ({ field: `quote.${index}`, text }))
    const fired = await ports.fire({
      agentId: 'hookgate',
      event: 'on_outbound_message',
      sessionId: 'notices',
      cwd: ports.workspace,
      isNotice: true,
      except: hook,
      address,
      deadlineMs: Math.max(1, deadlineMs - namingMs),
      fields: { notification, parts, type: 'notice', ...address, files: [], recent: [] },
    })
    if (fired.kind === 'loop') return { withheldBy: 'hookgate' }
    const { verdict, by, payload, hooks } = fired.verdict
    const late = hooks.find(({ answer }) => answer?.fault?.kind === 'timeout')
    if (verdict !== 'allow')
      return { withheldBy: by ?? 'hookgate', isLate: late !== undefined && late.label === by }
    // A push may leave without the answer of a hook that only warns on failure. A quote in an owner's notice
    // may not.
    if (late !== undefined) return { withheldBy: late.label, isLate: true }
    const text = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const left = Array.isArray(payload['parts']) ? payload['parts'] : []
    const leftTexts = left.flatMap((part) =>
      isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
    )
    const isSame = text === notification && JSON.stringify(left) === JSON.stringify(parts)
    const silent = hooks.find(({ rewrote }) => rewrote === 'silently')
    const open = hooks.find(({ rewrote }) => rewrote === 'openly')
    return {
      text,
      parts: leftTexts,
      isSame,
      isOpen: silent === undefined && open !== undefined,
      by: (silent ?? open)?.label ?? 'a hook',
    }
  }

  /** This also bounds the wait for a free slot, which no hook's timeout counts. */
  const askInTime = (...asked: Parameters<typeof ask>): Promise<JudgedQuote> =>
    new Promise((resolve) => {
      const [, , deadlineMs] = asked
      ports.after(deadlineMs, () => resolve({ withheldBy: 'a hook that was too late', isLate: true }))
      ask(...asked).then(resolve, () => resolve({ withheldBy: 'hookgate' }))
    })

  /** `hook`: the quotes are this hook's own words, so it is not asked. */
  const judgeTexts = async (
    address: Address,
    texts: readonly string[],
    hook: string | undefined,
  ): Promise<readonly QuoteResult[]> => {
    const endsAtMs = performance.now() + noticeDeadlineMs
    const leftMs = (): number => Math.max(1, endsAtMs - performance.now())
    // Usually one event asks about all quotes together. Only if a hook objects is each quote judged alone.
    // Where hooks are late, one event for each quote would only give them more to do.
    const together = await askInTime(address, texts, noticeDeadlineMs, hook)
    if ('withheldBy' in together && together.isLate === true) return texts.map(() => together)
    if ('isSame' in together && together.isSame) return texts.map((text) => ({ text }))
    if (texts.length === 1)
      return ['withheldBy' in together ? together : changedQuote(together, together.text, texts[0] ?? '')]
    const alone = new Map(
      await Promise.all(
        [...new Set(texts)].map(
          async (text) => [text, await askInTime(address, [text], leftMs() * 0.7, hook)] as const,
        ),
      ),
    )
    const quotes = texts.map((text): QuoteResult => {
      const asked = alone.get(text) ?? { withheldBy: 'hookgate' }
      if ('withheldBy' in asked) return asked
      return asked.isSame
        ? { text: visibleLike(text, asked.text, true) }
        : changedQuote(asked, asked.text, text)
    })
    const left = quotes.flatMap((quote) => ('text' in quote ? [quote.text] : []))
    if (left.length < 2) return quotes
    // Quotes that are harmless alone may not be harmless together, so all that leave are judged together
    // again.
    const last = await askInTime(address, left, leftMs(), hook)
    if ('withheldBy' in last) return quotes.map((quote) => ('text' in quote ? last : quote))
    const again = rewritten(last, left)?.values()
    if (again === undefined) return quotes
    return quotes.map((quote) => {
      const now = 'text' in quote ? again.next().value : undefined
      // A text that this last event left unchanged keeps its earlier result.
      if (now === undefined || !('text' in now) || !('text' in quote) || now.text === quote.text) return quote
      return { ...quote, ...now }
    })
  }

  /** Judges quotes, those of each hook together. The answers are in the order of the quotes. */
  return async (address: Address, quotes: readonly OwnedQuote[]): Promise<readonly QuoteResult[]> => {
    const answers: QuoteResult[] = []
    const groups = [...Map.groupBy(quotes.entries(), ([, { hook }]) => hook)]
    await Promise.all(
      groups.map(async ([hook, some]) => {
        const texts = some.map(([, { text }]) => text)
        const judged = (await judgeTexts(address, texts, hook)).entries()
        for (const [index, answer] of judged) answers[some[index]?.[0] ?? quotes.length] = answer
      }),
    )
    return answers
  }
}

/**
 * Asks the hooks about the quoted parts of a notice. The fixed words are hookgate's own and always arrive.
 */
export const createNoticeJudge = (ports: NoticePorts) => {
  const judgeQuotes = createQuoteJudge(ports)

  /** Judges a notice and makes the content that leaves. A notice is never withheld as a whole. */
  return async (address: Address, { text: said, file }: Notice): Promise<JudgedPush> => {
    const { revision, lockdown } = ports.gate()
    const spans = inEnglish(said).map((span): PlainSpan => {
      if ('fixed' in span) return span
      const quoted = visibleText(span.quoted, span.isWhole)
      return span.isShown === true ? { ...span, quoted: untappable(quoted) } : { ...span, quoted }
    })
    const isAsked = (span: PlainSpan): span is Extract<PlainSpan, { readonly quoted: string }> =>
      'quoted' in span && span.isShown !== true && span.quoted.trim() !== ''
    const fileTexts = file === undefined ? [] : [visibleText(file.name, true), visibleLines(file.text)]
    const quotes: readonly OwnedQuote[] = [
      ...spans.filter(isAsked).map(({ quoted, hook }) => ({ text: quoted, hook })),
      ...fileTexts.map((text) => ({ text, hook: undefined })),
    ]
    // In lockdown no hook can be asked, and the owner must still learn what is wrong. The fixed words stay,
    // and the quotes are withheld.
    const judged =
      lockdown !== undefined
        ? quotes.map((): QuoteResult => ({ withheldBy: 'lockdown' }))
        : await judgeQuotes(address, quotes)
    const answers = judged.values()
    const late = lateForAll(judged)
    const words = spans.flatMap((span): Prose => {
      const quoted = isAsked(span) ? answers.next().value : undefined
      if (quoted === undefined) return [span]
      return late === undefined ? quotedWords(quoted) : verbatim(leftOut)
    })
    const { files, parts, line } = judgedFile([...answers], file?.handle ?? '', (text) =>
      inLanguage(text, ports.translateFor(address))
        .map((span) => ('fixed' in span ? span.fixed : ''))
        .join(''),
    )
    const handles = handlesIn(said)
    const hiddenBy = hiderOf(judged)
    const by = hiddenBy && visibleText(hiddenBy)
    const shows: ShownHandles = { handles, isPart: hasParts(said), hiddenBy: by }
    const warning = handles.length > 0 && hiddenBy !== undefined && lockdown === undefined ? hiddenLines : []
    const left = inLanguage(
      [...words, ...line, ...(late === undefined ? [] : lateLine(late)), ...warning],
      ports.translateFor(address),
      ports.zoneFor(address),
    )
    const { text, marks } = withSpoilers(left)
    return {
      kind: 'leaves',
      content: { ...plain('notice', text), marks, parts, files },
      revision,
      shows: handles.length === 0 ? undefined : shows,
    }
  }
}
