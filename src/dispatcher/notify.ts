import { proseText, type Prose, type Span } from '../model/prose.ts'
import type { Address } from '../model/push.ts'
import type { Judged } from './door.ts'
import type { Fire } from './fire.ts'
import { mark, visibleText } from './text.ts'

/** All quoted parts of a notice together may wait this long for the hooks, in milliseconds. */
export const noticeDeadlineMs = 3000

export interface NoticePorts {
  readonly fire: Fire
  gate(): { readonly revision: number; readonly lockdown?: string }
  readonly workspace: string
}

type Quoted = { readonly text: string } | { readonly withheldBy: string }

/** Puts the quoted parts of a notice to the hooks. The fixed words are ours and always arrive. */
export const createNoticeJudge = (ports: NoticePorts) => {
  const ask = async (address: Address, notification: string, texts: readonly string[], deadlineMs: number): Promise<Quoted & { isSame: boolean }> => {
    const parts = texts.map((text, index) => ({ field: `quote.${index}`, text }))
    const fired = await ports.fire({
      agentId: 'hookgate', event: 'on_outbound_message', sessionId: 'notices', cwd: ports.workspace, isNotice: true, address, deadlineMs,
      fields: { notification, parts, type: 'notice', ...address, files: [], recent: [] },
    })
    if (fired.kind === 'loop') return { withheldBy: 'hookgate', isSame: false }
    const { verdict, by, payload } = fired.verdict
    if (verdict !== 'allow') return { withheldBy: by ?? 'hookgate', isSame: false }
    const text = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const isSame = text === notification && JSON.stringify(payload['parts']) === JSON.stringify(parts)
    return { text: visibleText(text), isSame }
  }

  const judgeQuotes = async (address: Address, texts: readonly string[]): Promise<readonly Quoted[]> => {
    const endsAtMs = performance.now() + noticeDeadlineMs
    // One question for all of them is the usual case; only when something is wrong is each asked about by itself.
    const together = await ask(address, texts.join('\n'), texts, noticeDeadlineMs / 2)
    if (together.isSame) return texts.map((text) => ({ text }))
    if (texts.length === 1) return [together]
    const remainingMs = Math.max(1, endsAtMs - performance.now())
    return Promise.all(texts.map((text) => ask(address, text, [], remainingMs)))
  }

  /** The notice as it leaves. Never withheld as a whole. */
  return async (address: Address, prose: Prose): Promise<Judged> => {
    const { revision, lockdown } = ports.gate()
    const spans: readonly Span[] = prose.map((span) => ('quoted' in span ? { quoted: visibleText(span.quoted) } : span))
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
    return { kind: 'leaves', text: `${mark} ${proseText(words)}`, revision }
  }
}
