import { plain } from '../model/content.ts'
import { proseText, type Prose, type Span } from '../model/prose.ts'
import type { Address } from '../model/push.ts'
import type { Judged } from './judged.ts'
import type { Fire } from './fire.ts'
import { mark, visibleText } from './text.ts'

/** All quoted parts of a notice together may wait this long for the hooks, in milliseconds. */
export const noticeDeadlineMs = 3000

export interface NoticePorts {
  readonly fire: Fire
  gate(): { readonly revision: number; readonly lockdown?: string }
  readonly workspace: string
  after(delayMs: number, run: () => void): void
}

/** The hooks get this much less than the notice, so that the one that is late can still be named. In milliseconds. */
const namingMs = 200

type Quoted = { readonly text: string } | { readonly withheldBy: string }

/** Puts the quoted parts of a notice to the hooks. The fixed words are ours and always arrive. */
export const createNoticeJudge = (ports: NoticePorts) => {
  const ask = async (address: Address, notification: string, texts: readonly string[], deadlineMs: number): Promise<Quoted & { isSame: boolean }> => {
    const parts = texts.map((text, index) => ({ field: `quote.${index}`, text }))
    const fired = await ports.fire({
      agentId: 'hookgate', event: 'on_outbound_message', sessionId: 'notices', cwd: ports.workspace, isNotice: true, address,
      deadlineMs: Math.max(1, deadlineMs - namingMs),
      fields: { notification, parts, type: 'notice', ...address, files: [], recent: [] },
    })
    if (fired.kind === 'loop') return { withheldBy: 'hookgate', isSame: false }
    const { verdict, by, payload, hooks } = fired.verdict
    if (verdict !== 'allow') return { withheldBy: by ?? 'hookgate', isSame: false }
    // A push goes on without a hook that only warns when it fails; a quote of an owner's notice is not worth that.
    const late = hooks.find(({ answer }) => answer?.fault?.kind === 'timeout')
    if (late !== undefined) return { withheldBy: late.label, isSame: false }
    const text = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const isSame = text === notification && JSON.stringify(payload['parts']) === JSON.stringify(parts)
    return { text: visibleText(text, isSame), isSame }
  }

  /** Also bounds what no hook's clock counts: the wait for a free slot. */
  const askInTime = (address: Address, notification: string, texts: readonly string[], deadlineMs: number): Promise<Quoted & { isSame: boolean }> =>
    new Promise((resolve) => {
      ports.after(deadlineMs, () => resolve({ withheldBy: 'a hook that was too late', isSame: false }))
      ask(address, notification, texts, deadlineMs).then(resolve, () => resolve({ withheldBy: 'hookgate', isSame: false }))
    })

  const judgeQuotes = async (address: Address, texts: readonly string[]): Promise<readonly Quoted[]> => {
    const endsAtMs = performance.now() + noticeDeadlineMs
    // One question for all of them is the usual case; only when something is wrong is each asked about by itself.
    const together = await askInTime(address, texts.join('\n'), texts, noticeDeadlineMs / 2)
    if (together.isSame) return texts.map((text) => ({ text }))
    if (texts.length === 1) return [together]
    const remainingMs = Math.max(1, endsAtMs - performance.now())
    return Promise.all(texts.map((text) => askInTime(address, text, [], remainingMs)))
  }

  /** The notice as it leaves. Never withheld as a whole. */
  return async (address: Address, prose: Prose): Promise<Judged> => {
    const { revision, lockdown } = ports.gate()
    const spans = prose.map((span): Span =>
      'quoted' in span ? { quoted: visibleText(span.quoted, span.isWhole) } : span)
    const texts = [...new Set(spans.flatMap((span) => ('quoted' in span && span.quoted.trim() !== '' ? [span.quoted] : [])))]
    // In lockdown no hook can be asked, and the owner must still be told what is wrong: the words stay, the quotes go.
    const judged = lockdown !== undefined
      ? texts.map((): Quoted => ({ withheldBy: 'lockdown' }))
      : texts.length === 0 ? [] : await judgeQuotes(address, texts)
    const shown = new Map(texts.map((text, index) => [text, judged[index]]))
    const words = spans.map((span): Span => {
      if ('fixed' in span) return span
      const quoted = shown.get(span.quoted)
      if (quoted === undefined) return span
      return { fixed: 'withheldBy' in quoted ? `[withheld by ${visibleText(quoted.withheldBy)}]` : quoted.text }
    })
    return { kind: 'leaves', content: plain('notice', `${mark} ${proseText(words)}`), revision }
  }
}
