import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import type { Span } from '../span.ts'
import { tokenKinds } from './own-rules.ts'

/**
 * Runs the rules of the secretlint project without its core. The core would obey `secretlint-disable`
 * comments, which an agent can write, would count past a byte order mark, and would keep a performance mark
 * for each rule.
 */
interface RuleReport {
  readonly range: readonly [number, number]
  readonly message: { readonly data?: unknown }
}
interface SecretRule {
  readonly meta: { readonly id: string }
  create(
    context: {
      createTranslator(messages: unknown): (id: string, data?: unknown) => RuleReport['message']
      report(report: RuleReport): void
      ignore(): void
      readonly sharedOptions: object
    },
    options: object,
  ): { file?(source: object): unknown }
}

const prefix = '@secretlint/secretlint-rule-'
const names: Readonly<Record<string, string>> = {
  privatekey: 'private key',
  basicauth: 'password in an address',
  'database connection string': 'database address',
}
/** Slack's rule takes words for a token, and its form is among our own. */
const left: ReadonlySet<string> = new Set(['filter-comments', 'slack'].map((name) => `${prefix}${name}`))
/** These find more than what our own marks stand for: the values of settings. */
const wide: ReadonlySet<string> = new Set(['aws', 'npm'])
const kept = (rules as unknown as readonly SecretRule[])
  .filter(({ meta }) => !left.has(meta.id))
  .map((rule) => {
    const id = rule.meta.id.replace(prefix, '').replaceAll('-', ' ')
    return { rule, kind: names[id] ?? id, hasMark: tokenKinds.has(id) && !wide.has(id) }
  })

/**
 * Some rules report the range of the wrong group. The message's data then holds the secret itself, near the
 * range.
 */
const spanOf = (text: string, kind: string, { range: [start, end], message: { data } }: RuleReport): Span => {
  const values = typeof data === 'object' && data !== null ? Object.values(data) : []
  let [first, last] = [start, end]
  for (const value of values) {
    if (typeof value !== 'string' || value.length < 8) continue
    const at = text.indexOf(value, start)
    if (at === -1 || at > end) continue
    first = Math.min(first, at)
    last = Math.max(last, at + value.length)
  }
  return { start: first, end: last, kind }
}

/**
 * Runs the rules. Those of a vendor run only where one of the vendor's marks stands in the text (`marked`).
 * The source has no file name, so that no rule can open a file.
 */
export const findKept = async (text: string, marked: ReadonlySet<string>): Promise<readonly Span[]> => {
  const found: Span[] = []
  const source = {
    content: text,
    hasBOM: false,
    contentType: 'text',
    ext: '',
    filePath: undefined,
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
  }
  for (const { rule, kind, hasMark } of kept) {
    if (hasMark && !marked.has(kind)) continue
    const context = {
      sharedOptions: {},
      createTranslator: () => (_id: string, data?: unknown) => ({ data }),
      report: (report: RuleReport) => void found.push(spanOf(text, kind, report)),
      ignore: () => undefined,
    }
    await rule.create(context, {}).file?.(source)
  }
  return found
}
