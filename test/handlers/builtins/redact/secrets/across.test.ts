import { afterAll, describe, expect, test } from 'vitest'
import { redact } from '../../../../../src/handlers/builtins/redact/redact.ts'
import { createScanner } from '../../../../../src/handlers/builtins/redact/scanner.ts'
import type { JsonObject } from '../../../../../src/core/model/base/json.ts'
import { plain } from '../../../../../src/core/model/chat/content.ts'
import { startPlane } from '../../../../plane.ts'
import { eventOf } from '../../../armed.ts'
import { madeSecrets } from '../made-secrets.ts'
import { seeded } from '../seeded.ts'

const scanner = createScanner({ batchWithinMs: 20_000 })
afterAll(() => scanner.stop())
const answer = async (fields: JsonObject): Promise<JsonObject> => {
  const said = await redact(eventOf('on_outbound_message', fields), scanner, { timeoutMs: 20_000 })
  if ('failure' in said) throw new Error(said.failure.detail)
  return said.answer
}
const chance = seeded(7)
const make = (kind: string): string => madeSecrets[kind]?.(chance) ?? ''
const halves = (secret: string): readonly [string, string] => {
  const half =
    secret.includes(' ') && !secret.startsWith('--')
      ? secret.indexOf(' ', secret.length / 2)
      : Math.floor(secret.length / 2)
  return [secret.slice(0, half), secret.slice(half).trimStart()]
}
const kinds = Object.keys(madeSecrets)

describe('a secret over several messages', () => {
  test.each(kinds)(
    'of kind %s: what is left of it is taken out, and the owner is told that its first part has left',
    async (kind) => {
      const [first, second] = halves(make(kind))
      const said = await answer({
        notification: `${second} and a good day`,
        recent: ['Hello!', `Part one: ${first}`],
      })
      expect(said['notification']).toMatch(/^\[redacted: [a-z ]+\] and a good day$/)
      expect(said['systemMessage']).toMatch(
        /^redact_secrets removed 1 secret \([a-z ]+\)\. The first part of one was already sent in an earlier message\. Change that secret\.$/,
      )
    },
  )

  test.each(kinds)(
    'of kind %s is found after its rest was taken out once and is sent again',
    async (kind) => {
      const [first, second] = halves(make(kind))
      const said = await answer({ notification: second, recent: [first, '[redacted: private key]'] })
      expect(said['notification']).toMatch(/^\[redacted: [a-z ]+\]$/)
    },
  )

  test('is found in as many pieces as there are messages', async () => {
    const secret = make('github')
    const pieces = secret.match(/.{1,8}/g) ?? []
    expect(await answer({ notification: pieces.at(-1) ?? '', recent: pieces.slice(0, -1) })).toMatchObject({
      notification: '[redacted: github]',
    })
  })

  test('is found in eight messages of five letters, and in forty of one', async () => {
    const secret = make('github')
    for (const size of [5, 1]) {
      const pieces = secret.match(new RegExp(`.{${size}}`, 'g')) ?? []
      expect(pieces.length).toBe(40 / size)
      expect(await answer({ notification: pieces.at(-1) ?? '', recent: pieces.slice(0, -1) })).toMatchObject({
        notification: '[redacted: github]',
      })
    }
  })

  test.each(['github', 'slack', 'telegram', 'aws', 'google', 'npm', 'stripe', 'anthropic'])(
    'of kind %s is found in two halves with 1200 characters between them, in whichever order they come',
    async (kind) => {
      const secret = make(kind)
      const cut = Math.floor(secret.length / 2)
      const [first, second] = [secret.slice(0, cut), secret.slice(cut)]
      const between = 'It is a fine day, and we go on. '.repeat(40)
      for (const [before, after] of [
        [first, second],
        [second, first],
      ] as const) {
        const said = await answer({ notification: `${after} and a good day`, recent: [before, between] })
        expect(said['notification']).toMatch(/^\[redacted: [a-z ]+\][^]* a good day$/)
        expect(said['systemMessage']).toContain(
          'The first part of one was already sent in an earlier message',
        )
        const { notification: one } = await answer({ notification: `${before} ${between} ${after}` })
        expect(one).toMatch(
          /^\[redacted: [a-z ]+\] [^]*It is a fine day, and we go on\.  \[redacted: [a-z ]+\]$/,
        )
        expect(one).not.toContain(first.slice(-8))
      }
    },
  )

  test('is found when a word of a phrase is cut in two', async () => {
    const phrase = make('seed phrase, 12')
    const half = phrase.indexOf(' ', phrase.length / 2) + 2
    expect(
      await answer({ notification: `${phrase.slice(half)} is it.`, recent: [phrase.slice(0, half)] }),
    ).toMatchObject({ notification: '[redacted: seed phrase] is it.' })
  })

  test('is found at the end of a long message, and the rest of that one stays', async () => {
    const [first, second] = halves(make('github'))
    const long = 'word '.repeat(5000)
    expect(await answer({ notification: `${second} ${long}`, recent: [`${long}${first}`] })).toMatchObject({
      notification: `[redacted: github] ${long}`,
    })
  })

  test('is nothing that was told before: a whole secret in an earlier message leaves this one as it is', async () => {
    expect(await answer({ notification: 'What was that?', recent: [make('github')] })).toEqual({})
  })
})

describe('a secret over the texts of one message', () => {
  test.each(kinds)('of kind %s goes from both: the text and the caption', async (kind) => {
    const [first, second] = halves(make(kind))
    const said = await answer({
      notification: `It begins: ${first}`,
      parts: [{ field: 'caption', text: `${second} it ended` }],
    })
    expect(said).toMatchObject({
      notification: expect.stringMatching(/^It begins: (?:private key: )?\[redacted: [a-z ]+\]$/),
      parts: [{ field: 'caption', text: expect.stringMatching(/^\[redacted: [a-z ]+\] it ended$/) }],
    })
    expect(said['systemMessage']).not.toContain('earlier')
  })

  test('goes from two buttons, whose fields keep their names', async () => {
    const [first, second] = halves(make('github'))
    const said = await answer({
      notification: 'Choose:',
      parts: [
        { field: 'button', text: first },
        { field: 'button', text: second },
        { field: 'button', text: 'none' },
      ],
    })
    expect(said['parts']).toEqual([
      { field: 'button', text: '[redacted: github]' },
      { field: 'button', text: '[redacted: github]' },
      { field: 'button', text: 'none' },
    ])
  })

  test.each<[string, (label: string, at: number) => string]>([
    ['alone', (label) => label],
    ['behind a number', (label, at) => `${at + 1}. ${label}`],
  ])('goes from the labels of three buttons, with addresses between them: %s', async (_how, write) => {
    const labels = (make('github').match(/.{1,14}/g) ?? []).map(write)
    const said = await answer({
      notification: 'Choose one of these',
      parts: labels
        .flatMap((text, at) => [
          { field: `button.${at}.label`, text },
          { field: `button.${at}.url`, text: `https://example.org/${at}` },
        ])
        .toReversed(),
    })
    expect(labels).toHaveLength(3)
    for (const label of labels) expect(JSON.stringify(said['parts'])).not.toContain(label.slice(-10))
    expect(JSON.stringify(said['parts'])).toContain('https://example.org/2')
  })

  test('goes from a caption that is read before the text', async () => {
    const [first, second] = halves(make('github'))
    expect(await answer({ notification: second, parts: [{ field: 'caption', text: first }] })).toMatchObject({
      notification: '[redacted: github]',
      parts: [{ field: 'caption', text: '[redacted: github]' }],
    })
  })
})

describe('a secret over an edit', () => {
  test.each(kinds)(
    'of kind %s: its second half goes from the text that takes the place of the first',
    async (kind) => {
      const [first, second] = halves(make(kind))
      const said = await answer({
        type: 'edit',
        notification: `${second} and a good day`,
        before: `Part one: ${first}`,
        recent: ['Hello!'],
      })
      expect(said['notification']).toMatch(/^\[redacted: [a-z ]+\] and a good day$/)
    },
  )

  test('is found where the edited message stands among the others: its end goes on in the one behind it', async () => {
    const [first, second] = halves(make('github'))
    const said = await answer({
      type: 'edit',
      notification: `It begins: ${first}`,
      before: 'Wait for it',
      recent: ['Hello!', 'Wait for it', `${second} is the rest`, 'Bye.'],
    })
    expect(said['notification']).toBe('It begins: [redacted: github]')
  })

  test('is found where its last part takes a place behind the message that has its first', async () => {
    const [first, second] = halves(make('github'))
    const said = await answer({
      type: 'edit',
      notification: `${second} is the rest`,
      before: 'Wait for it',
      recent: [first, 'Wait for it', 'Bye.'],
    })
    expect(said['notification']).toBe('[redacted: github] is the rest')
  })

  test('is found in three parts: what stood there, a later message, and what stands there now', async () => {
    const [first = '', second = '', third = ''] = make('github').match(/.{1,14}/g) ?? []
    expect(
      await answer({ type: 'edit', notification: third, before: first, recent: [second] }),
    ).toMatchObject({ notification: '[redacted: github]' })
  })

  test('is nothing that stood there before: it leaves the new text as it is', async () => {
    expect(
      await answer({
        type: 'edit',
        notification: 'Never mind.',
        before: make('github'),
        recent: [make('github')],
      }),
    ).toEqual({})
  })
})

test('A message that stands alone is looked through once', async () => {
  const asked: (readonly string[])[] = []
  const spy: Pick<typeof scanner, 'scan' | 'judge'> = {
    ...scanner,
    scan: (texts, options) => (asked.push(texts), scanner.scan(texts, options)),
  }
  const long = 'word '.repeat(2000)
  await redact(eventOf('on_outbound_message', { notification: long }), spy, { timeoutMs: 20_000 })
  expect(asked).toEqual([[long]])
})

test('Through the whole plane: what left for a chat is what the next message to it is read with', async () => {
  const plane = await startPlane(
    'hooks:\n  - {event: on_outbound_message, type: builtin, command: redact_secrets, on_error: block}\n',
  )
  try {
    await plane.ask('/hooks approve on_outbound_message redact_secrets', (text) =>
      text.includes('Approved: on_outbound_message'),
    )
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    let count = 0
    /**
     * What arrived of the last of these texts. A half that a chat has seen makes every other half there one
     * of a secret.
     */
    const push = async (chat_id: string, ...texts: readonly string[]): Promise<string | undefined> => {
      for (const text of texts) {
        expect(
          await plane.gate.dispatcher.push({
            channel: 'memory',
            chat_id,
            push_id: `p${++count}`,
            agent_id: 'main',
            session_id: 's',
            cwd: plane.workspace,
            ...plain('text', text),
            files: [],
          }),
        ).toMatchObject({ outcome: 'delivered' })
      }
      return plane.memory
        .sent()
        .findLast((outgoing) => outgoing.chat_id === chat_id && !outgoing.text.startsWith('🛡'))?.text
    }
    const between = 'It is a fine day, and we go on. '.repeat(40)
    const [first, second] = halves(make('github'))
    expect(await push('pieces', ...(make('github').match(/.{1,5}/g) ?? []))).toBe('[redacted: github]')
    expect(await push('in order', first, between, `${second} it is.`)).toBe('[redacted: github] it is.')
    expect(await push('backwards', second, between, `${first} it is.`)).toBe('[redacted: github] it is.')
    expect(await push('elsewhere', `${second} it is.`)).toBe(`${second} it is.`)
  } finally {
    await plane.stop()
  }
})
