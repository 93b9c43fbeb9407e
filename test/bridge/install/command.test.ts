import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoted } from '../../../src/shared/base/shell.ts'
import { mark, programWords } from '../../../src/bridge/install/command.ts'

let root: string
const cli = (): string => join(root, 'lib/cli.js')
const link = (folder: string): string => {
  mkdirSync(join(root, folder), { recursive: true })
  symlinkSync(cli(), join(root, folder, 'hookgate'))
  return join(root, folder)
}
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'hookgate-command-'))
  mkdirSync(dirname(cli()))
  writeFileSync(cli(), '', { mode: 0o755 })
})
afterAll(() => rmSync(root, { recursive: true }))

test('The short word is taken where it is this very program and will be found again, else the full path', () => {
  expect(programWords(cli(), '/n', link('bin'))).toEqual({
    isOnPath: true,
    words: ['hookgate'],
    full: ['/n', cli()],
  })
  expect(programWords(cli(), '/n', link('node_modules/.bin'))).toEqual({
    isOnPath: false,
    words: ['/n', cli()],
    full: ['/n', cli()],
  })
  expect(programWords(cli(), '/n', undefined)).toEqual({
    isOnPath: false,
    words: ['/n', cli()],
    full: ['/n', cli()],
  })
  mkdirSync(join(root, 'other'))
  writeFileSync(join(root, 'other/hookgate'), '', { mode: 0o755 })
  // Another one comes first on PATH: that is what would be started.
  expect(programWords(cli(), '/n', `${root}/other:${root}/bin`)).toMatchObject({
    isOnPath: false,
    other: expect.stringMatching(/other\/hookgate$/),
  })
})

test('Whatever a folder is called, a shell takes it as one word, and the entry is known again', () => {
  for (const word of ['plain-1.2/x', 'two words', "it's", '$(touch x)', '`x`', 'a"b', '*']) {
    expect(spawnSync('/bin/sh', ['-c', `printf %s ${quoted(word)}`]).stdout.toString()).toBe(word)
    expect(
      mark('codex').test(`${quoted(word)} bridge codex PreToolUse --deadline 620 --home ${quoted(word)}`),
    ).toBe(true)
  }
  expect(mark('codex').test('./my bridge to codex PreToolUse')).toBe(false)
  expect(mark('codex').test('hookgate bridge copilot preToolUse')).toBe(false)
})
