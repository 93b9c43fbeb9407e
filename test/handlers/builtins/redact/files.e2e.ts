import { afterAll, describe, expect, test } from 'vitest'
import { createScanner } from '../../../../src/handlers/builtins/redact/scanner.ts'
import { createAsking, github } from './file-asking.ts'

const { scanner, attach, ask, stop } = createAsking()
afterAll(stop)

describe('a push with files', () => {
  test('waits for no more than the hook’s time, and says which file it was', async () => {
    const large = attach('large.txt', '&amp; <b>a1B2</b> '.repeat(1_000_000))
    expect(await ask({ files: [large] }, scanner, 1500)).toEqual({
      failure: {
        kind: 'timeout',
        detail: 'The file large.txt was not scanned in time.\nredact_secrets could not judge it.',
      },
    })
    const stuck = createScanner({ program: new URL('../../../fixtures/scanner/spin.ts', import.meta.url) })
    // Without a text, the scanner starts no other thread.
    expect(await ask({ files: [large], notification: '' }, stuck, 1500)).toEqual({
      failure: { kind: 'timeout', detail: 'A rule did not finish on file 1 of 1, so its thread was killed.' },
    })
    expect(stuck.threadId()).toBeUndefined()
    await stuck.stop()
  })

  test('holds up no text of another chat', async () => {
    const judged = ask({ files: [attach('large.txt', '&amp; <b>a1B2</b> '.repeat(300_000))] })
    let isJudged = false
    void judged.then(() => (isJudged = true))
    for (let time = 0; time < 5; time++) {
      expect(await ask({ notification: `hello ${github}` }, scanner, 5000)).toMatchObject({
        answer: { notification: 'hello [redacted: github]' },
      })
    }
    expect(isJudged).toBe(false)
    expect(await judged).toEqual({ answer: {} })
  })
})
