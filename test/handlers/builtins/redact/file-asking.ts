import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redact } from '../../../../src/handlers/builtins/redact/redact.ts'
import { createScanner, type Scanner } from '../../../../src/handlers/builtins/redact/scanner.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { eventOf } from '../../armed.ts'
import { keep } from './made-files.ts'
import { madeSecrets } from './made-secrets.ts'
import { seeded } from './seeded.ts'

export const github = madeSecrets['github']?.(seeded(5)) ?? ''

/** Asks redact_secrets about pushes with files, which lie in a folder of their own. */
export const createAsking = () => {
  const scanner = createScanner({ batchWithinMs: 20_000 })
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-files-'))
  let count = 0
  return {
    scanner,
    attach: (name: string, bytes: Buffer | string): JsonObject => {
      const path = join(folder, `kept-${++count}`)
      keep(path, bytes)
      return { name, path, size: bytes.length, type: 'image/png' }
    },
    ask: (fields: JsonObject, using: Scanner = scanner, timeoutMs = 20_000) =>
      redact(eventOf('on_outbound_message', fields), using, { timeoutMs }),
    stop: async (): Promise<void> => {
      await scanner.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
