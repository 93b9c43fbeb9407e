import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { closureOf, maxLines } from './closure.ts'

test('the heart imports nothing but itself, and one person can read it', () => {
  const { files, outside, packages } = closureOf()
  expect(outside).toEqual([])
  expect(packages).toEqual(['re2js', 'unbash', 'zod'])
  expect(files.size).toBeGreaterThan(100)
  expect([...files.values()].reduce((sum, lines) => sum + lines, 0)).toBeLessThanOrEqual(maxLines)
})

test('an import that leaves the heart is found in every form that it can have', () => {
  const tree = mkdtempSync(join(tmpdir(), 'hookgate-heart-'))
  onTestFinished(() => rmSync(tree, { recursive: true }))
  const write = (file: string, source: string): void => {
    mkdirSync(join(tree, dirname(file)), { recursive: true })
    writeFileSync(join(tree, file), source)
  }
  write(
    'src/core/a/plain.ts',
    "import fs from 'node:fs'\nimport { b } from '../b/b.ts'\nimport { z } from 'zod'\n",
  )
  write('src/core/b/b.ts', "export const b = 1\nexport type { X } from '../../shared/x.ts'\n")
  write('src/core/b/lazy.ts', "const y = await import('../../agents/y.ts')\n")
  write('src/core/b/many.ts', "import {\n  one,\n  type Two,\n} from '../../../bots/web/web.ts'\n")
  write('src/core/b/effect.ts', "import '../../cli.ts'\n")
  const { outside, packages } = closureOf(tree)
  expect(outside).toEqual([
    'src/core/b/b.ts → src/shared/x.ts',
    'src/core/b/effect.ts → src/cli.ts',
    'src/core/b/lazy.ts → src/agents/y.ts',
    'src/core/b/many.ts → bots/web/web.ts',
  ])
  expect(packages).toEqual(['zod'])
})
