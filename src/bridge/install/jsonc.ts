import { createScanner, getNodeValue, parseTree, printParseErrorCode, visit, type Node } from 'jsonc-parser'
import { maxJsonDepth, type Json } from '../../model/base/json.ts'

const options = { allowTrailingComma: true }

/** `CommaExpected` → `comma expected`. */
const words = (name: string): string => name.replaceAll(/(?<!^)(?=[A-Z])/g, ' ').toLowerCase()

/** Where a comma comes next, behind white space and comments; undefined where something else does. */
export const commaAt = (text: string, from: number): number | undefined => {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/**
 * JSON that may have comments and a last comma, as settings of editors and agents do. Throws an Error that says where
 * it breaks. Each value has its offset and length in UTF-16 units; a key that comes twice stands twice.
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
  // The package reads on behind a fault and calls itself for each bracket. This walk ends at the first fault and below
  // the last level, so the tree is built only of a text that is whole.
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

/** Its objects have no prototype: a key such as `__proto__` is one like any other. */
export const valueOf = (node: Node): Json => getNodeValue(node) as Json
