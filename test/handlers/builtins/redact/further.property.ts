import { expect, test } from 'vitest'
import { find } from '../../../../src/handlers/builtins/redact/find.ts'
import { joinSpans } from '../../../../src/handlers/builtins/redact/span.ts'
import { step } from '../../../tries.ts'
import { furtherDisguises } from './further-disguises.ts'
import { madeSecrets } from './made-secrets.ts'
import { seeded } from './seeded.ts'

const kinds = Object.entries(madeSecrets).filter(([kind]) => !/seed phrase|PEM|hex|database/.test(kind))
/** Too few groups to be seen as such, and no mark to be known by. */
const isKnownMiss = (kind: string, name: string): boolean =>
  (kind === 'aws' && name === 'groups of eight with hashes') ||
  (kind === 'private key, wallet' && name === 'backwards')

/** True when hardly anything of the secret is left: offsets, signs and letters around it may stay. */
const isFound = async (written: string): Promise<boolean> => {
  const [before, after] = ['Here it is: ', ' and please keep it.']
  const end = before.length + written.length
  const spans = joinSpans(await find(`${before}${written}${after}`))
  const covered = spans.map((span) => Math.min(span.end, end) - Math.max(span.start, before.length))
  return covered.reduce((sum, units) => sum + Math.max(0, units), 0) >= 0.8 * written.length
}

test('redact_secrets sees each further disguise but those that its page excepts', async () => {
  const wrong: string[] = []
  let place = 0
  for (const [name, { isSeen, write }] of Object.entries(furtherDisguises)) {
    for (const [at, [kind, make]] of kinds.entries()) {
      if (place++ % step() !== 0 || isKnownMiss(kind, name)) continue
      if ((await isFound(write(make(seeded(77 + at))))) !== isSeen) wrong.push(`${name}: ${kind}`)
    }
  }
  expect(wrong).toEqual([])
}, 120_000)
