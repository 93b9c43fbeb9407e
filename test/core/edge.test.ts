import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { edgeOf, waysAround } from './edge.ts'

test('the edge of a running gate has no way to send, to sign, to approve and to read a token', () => {
  expect(waysAround()).toEqual([])
  expect(edgeOf().length).toBeGreaterThan(500)
})

const treeOf = (files: Readonly<Record<string, string>>): string => {
  const tree = mkdtempSync(join(tmpdir(), 'hookgate-edge-'))
  onTestFinished(() => rmSync(tree, { recursive: true }))
  for (const [file, source] of Object.entries({ 'src/core/gatekeeper/ledger/key.ts': '', ...files })) {
    mkdirSync(join(tree, dirname(file)), { recursive: true })
    writeFileSync(join(tree, file), source)
  }
  return tree
}

test.each([
  ["import { readKey } from './core/gatekeeper/ledger/key.ts'\n", 'src/main.ts reaches into'],
  ["import { type A, readKey } from './core/gatekeeper/ledger/key.ts'\n", 'src/main.ts reaches into'],
  ["export * from './core/gatekeeper/ledger/key.ts'\n", 'src/main.ts reaches into'],
  ["const key = await import('./core/gatekeeper/ledger/key.ts')\n", 'src/main.ts reaches into'],
  ['await channel.deliver(message)\n', 'src/main.ts sends'],
  ["await channel['deliver'](message)\n", 'src/main.ts sends'],
  ['say(config.telegram?.token)\n', "src/main.ts reads a messenger's token"],
  ['const all = { ...config.feishu }\n', "src/main.ts reads a messenger's token"],
  ["readFileSync(join(home, 'secrets', 'ledger.key'))\n", "src/main.ts names the ledger's key"],
])('a way around the core is found: %j', (source, found) =>
  expect(waysAround(treeOf({ 'src/main.ts': source }))).toEqual([expect.stringContaining(found)]),
)

test('it is found in every file that the gate loads, and types are none', () => {
  const tree = treeOf({
    'src/main.ts': "import type { Key } from './core/gatekeeper/ledger/key.ts'\nimport './a.ts'\n",
    'src/a.ts': "const b = await import('./b.ts')\n",
    'src/b.ts': "import { type Key } from './core/gatekeeper/ledger/key.ts'\nchannel.deliver(b)\n",
    'src/not-loaded.ts': 'channel.deliver(b)\n',
  })
  expect(waysAround(tree)).toEqual(['src/b.ts sends: channel.deliver(b)'])
})
