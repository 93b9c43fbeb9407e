import { createScanner, getNodeValue, parseTree, printParseErrorCode, visit, type Node } from 'jsonc-parser'
import { maxJsonDepth, type Json } from '../../core/model/base/json.ts'

const options = { allowTrailingComma: true }

/** Converts `CommaExpected` into `comma expected`. */
const words = (name: string): string => name.replaceAll(/(?<!^)(?=[A-Z])/g, ' ').toLowerCase()

/**
 * Returns the offset of the next token when it is a comma, after white space and comments. Returns undefined
 * for any other token.
 */
export const commaAt = (text: string, from: number): number | undefined => {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/**
 * Parses JSON with comments and trailing commas, as in the settings of editors and agents. Throws an Error
 * with the position of the first fault. Each value has its offset and length in UTF-16 units. A key that
 * occurs twice has two members.
 */
export const readJsonc = (text: string): Node => {
  const fail = (what: string, line: number, column: number): never => {
    throw new Error(`${what} at line ${line + 1}, column ${column + 1}`)
  }
  let depth = 0
  const open = (_offset: number, _length: number, line: number, column: number): void => {
    depth += 1
    if (depth > maxJsonDepth) fail(`at most ${maxJsonDepth} levels expected`, line, column)
  }
  const close = (): void => {
    depth -= 1
  }
  // The package continues after a fault and recurses for each bracket. This walk ends at the first fault and
  // at the deepest allowed level, so the tree is only built for a valid text.
  visit(
    text,
    {
      onObjectBegin: open,
      onArrayBegin: open,
      onObjectEnd: close,
      onArrayEnd: close,
      onError: (code, _offset, _length, line, column) => fail(words(printParseErrorCode(code)), line, column),
    },
    options,
  )
  return parseTree(text, [], options) ?? fail('value expected', 0, 0)
}

/**
 * Converts a node into a value. Its objects have no prototype, so a key such as `__proto__` is an ordinary
 * key.
 */
export const valueOf = (node: Node): Json => getNodeValue(node) as Json
