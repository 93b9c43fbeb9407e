import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { judge } from '../../../../../src/handlers/builtins/redact/files/judge.ts'
import { tries } from '../../../../tries.ts'
import { keep } from '../made-files.ts'
import { madeSecrets } from '../made-secrets.ts'
import { seeded } from '../seeded.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookgate-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'kept')
const github = madeSecrets['github']?.(seeded(5))

describe('a secret in a file', () => {
  test('is found at any place of a long file', async () => {
    const long = 'word '.repeat(tries(600_000))
    for (const at of [0, 65_500, 1_000_000, 2_999_000].filter((place) => place < long.length)) {
      keep(path, `${long.slice(0, at)} ${github} ${long.slice(at)}`)
      expect(await judge([{ name: 'a.bin', path }], 60_000), String(at)).toMatchObject({ kind: 'found' })
    }
  }, 240_000)
})
