import type * as Unbash from 'unbash'
import { parseShell, forEachPart } from '../../core/model/shell/parse.ts'

/** Shell text without its here-documents, whose lines are no commands. */
export const withoutDocuments = (text: string): string => {
  const script = text.includes('<<') ? parseShell(text, true) : undefined
  if (script === undefined) return text
  let rest = ''
  let from = 0
  const visit = (node: Unbash.SyntaxNode): void => {
    if (node.type === 'HereDoc' && node.body.pos >= from) {
      rest += text.slice(from, node.body.pos)
      from = node.body.end
    }
    // The places in a text within backticks are others.
    if (node.type !== 'Script' || node.source === undefined) forEachPart(node, visit)
  }
  visit(script)
  return rest + text.slice(from)
}

const judged = new Set(['sh', 'bash', 'dash'])
/** The first thing that a shell cannot read in a text, with its line. */
export const shellFault = (text: string, shell: string): string | undefined => {
  if (!judged.has(shell)) return undefined
  const [first] = parseShell(text)?.errors ?? []
  // The parser itself has a limit, which is no fault of the text.
  if (first === undefined || first.message.startsWith('maximum ')) return undefined
  return `${first.message} in line ${text.slice(0, first.pos).split('\n').length}`
}
