import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTokenCheck, tokenPath } from '../../src/bridge/token.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-token-'))
  mkdirSync(join(home, 'secrets'))
})
afterEach(() => rmSync(home, { recursive: true }))

test('only the whole token is taken, also after another start', () => {
  const first = createTokenCheck(home)
  const header = `Bearer ${readFileSync(tokenPath(home), 'utf8').trim()}`
  for (const admits of [first, createTokenCheck(home)]) {
    expect(admits(header)).toBe(true)
    const others = ['', header.slice(0, -1), `${header}x`, header.toLowerCase(), `${header.slice(0, -1)}é`]
    expect(others.map(admits)).toEqual(others.map(() => false))
  }
})
