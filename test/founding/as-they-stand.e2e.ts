import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allSnippets, folded, foundingFile } from './snippets.ts'

/** A folder with the documents themselves, where somebody has them: files that begin with their number. */
const folder = process.env['FOUNDING_DOCUMENTS']

const documentOf = (number: string): readonly string[] => {
  const name = readdirSync(folder ?? '.').find((one) => one.startsWith(`${number}_`)) ?? ''
  return folded(readFileSync(join(folder ?? '.', name), 'utf8'))
}
const stands = (lines: readonly string[], document: readonly string[]): boolean =>
  document.some((_, at) => lines.every((line, index) => document[at + index] === line))
const withoutComments = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.startsWith('#'))

describe.skipIf(folder === undefined)('the snippets, beside the documents', () => {
  test.each(['000', '002', '003', '004'])('each of document %s stands there, line for line', (number) => {
    const document = documentOf(number)
    const strayed = allSnippets(number).filter(({ text }) => !stands(folded(text), document))
    expect(strayed.map(({ name }) => name)).toEqual([])
  })
  test('the file of document 001 stands there but for its comments, and its commented example uncommented', () => {
    const document = documentOf('001')
    const file = withoutComments(folded(foundingFile('docker/docker-hooks.yaml')))
    expect(stands(file, withoutComments(document))).toBe(true)
    const uncommented = document.map((line) => line.replace(/^#\s*/, '')).filter((line) => line !== '')
    for (const { text } of allSnippets('001')) expect(stands(folded(text), uncommented)).toBe(true)
  })
})
