import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { ask, makeWorkspace, type Workspace } from './run-example.ts'
import { needs } from '../needs.ts'

// Made up or from public test vectors, and cut here so that no scanner takes this file for a leak.
const cut: string = ''
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const zeros = `${'abandon '.repeat(11)}about`
const long = `${'letter advice cage absurd amount doctor acoustic avoid '.repeat(2)}letter advice cage absurd amount doctor acoustic bless`
const words = long.split(' ')
const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const wif = `5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvb${cut}TLvyTJ`
const github = `gh${cut}p_${'a1B2'.repeat(9)}`
const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'

const hits: Readonly<Record<string, string>> = {
  'a PEM block': `-----BEGIN RSA PRIVATE ${cut}KEY-----\n${body}\n-----END RSA PRIVATE ${cut}KEY-----`,
  'a PEM block on one line': `-----BEGIN OPENSSH PRIVATE ${cut}KEY-----\\n${body}`,
  'a hex key behind 0x': `0x${digest}`,
  'a hex key after words': `my private key: ${digest}`,
  'a WIF key': wif,
  'an xprv': `xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrM${cut}PHi`,
  'a phrase of 12 words': phrase,
  'a phrase of zeros': zeros,
  'a phrase of 15 words': [...words.slice(0, 14), 'accident'].join(' '),
  'a phrase of 18 words': [...words.slice(0, 17), 'always'].join(' '),
  'a phrase of 21 words': [...words.slice(0, 20), 'apart'].join(' '),
  'a phrase of 24 words': long,
  'a phrase in capitals and numbers': phrase
    .split(' ')
    .map((word, index) => `${index + 1}) ${word.toUpperCase()}`)
    .join(',\n'),
  'a GitHub token': github,
  'an OpenAI key': `sk-${cut}proj-AbCd1234EfGh5678IjKl9012`,
  'an Anthropic key': `sk-${cut}ant-api03-AbCd1234EfGh5678IjKl9012-AA`,
  'an AWS key': `AKIA${cut}IOSFODNN7EXAMPLE`,
  'an AWS secret': `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/${cut}bPxRfiCYEXAMPLEKEY`,
  'a Slack token': `xoxb-${cut}123456789012-1234567890123-AbCdEfGhIjKlMnOp`,
  'a Telegram bot token': `https://api.telegram.org/bot123456789:${cut}AAF1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q/getMe`,
  'a Google key': `AIza${cut}SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q`,
  'a Stripe key': `sk_live_${cut}4eC39HqLyjWDarjtT1zdp7dc`,
  'an npm token': `npm_${'a1B2'.repeat(9)}`,
  'a JSON web token': `eyJhbGciOiJIUzI1NiJ9.${cut}eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U`,
  'a token with zero-width characters': `${github.slice(0, 9)}\u200B\u2060${github.slice(9)}`,
  'a token with a soft hyphen': `${github.slice(0, 9)}\u00AD${github.slice(9)}`,
  'a token in full-width letters': github.replaceAll(/./g, (char) =>
    String.fromCodePoint(char.charCodeAt(0) + 0xfee0),
  ),
}

const misses: Readonly<Record<string, string>> = {
  'a sentence of list words':
    'please check every little thing about this simple garden before winter comes again',
  'a phrase with a wrong last word': phrase.replace('yellow', 'zoo'),
  'an excerpt of the word list':
    'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid',
  'a UUID': '123e4567-e89b-12d3-a456-426614174000',
  'a git commit': `commit ${digest.slice(0, 40)}`,
  'a bare digest': digest,
  'a list of sha256sum': `${digest}  a.txt\n${digest}  private_key.pem\n${digest} *b.bin`,
  'an image digest': `alpine@sha256:${digest}`,
  'a transaction': `tx hash: 0x${digest}`,
  'a transaction in a block explorer': `https://scan.example/tx/0x${digest}`,
  'a padded word': `0x${'0'.repeat(24)}${digest.slice(0, 40)}`,
  'a base64 image': `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA+/'.repeat(200)}`,
  'a WIF key with one digit off': `${wif.slice(0, -1)}K`,
  'a name of a PEM block': `grep -l "BEGIN PRIVATE ${cut}KEY" *.pem`,
  'a class in kebab case': 'class="sk-loading-spinner-container-wide"',
  'a placeholder': `export OPENAI_API_KEY=sk-${'x'.repeat(40)}`,
  'three dotted words': `eyJub3RoaW5nIGhlcmU.eyJub3RoaW5nIGhlcmU.${'a'.repeat(30)}`,
  'an address and a port': 'see 10.0.0.1:8080 and 2026-11-20T10:30:00Z',
}

describe('block_secrets.py', needs('python3'), () => {
  let workspace: Workspace
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())
  const outbound = (fields: JsonObject): Promise<JsonObject> =>
    ask('block_secrets.py', 'on_outbound_message', fields, workspace.folder)

  it.each(Object.entries(hits))('%s is held back, and is not in the reason', async (_, text) => {
    const answer = await outbound({ notification: `Here it is: ${text}` })
    expect(answer).toMatchObject({
      decision: 'block',
      reason: expect.stringMatching(/\((?:\d+ characters|\d+ words)\)/),
    })
    for (const piece of text.split(/\s+/).filter((part) => part.length > 11))
      expect(JSON.stringify(answer)).not.toContain(piece)
  })

  it.each(Object.entries(misses))('%s passes', async (_, text) => {
    expect(await outbound({ notification: `Look: ${text}` })).toEqual({})
  })

  it('a secret in a caption, a button or a file name is held back', async () => {
    expect(
      await outbound({
        notification: 'Hello.',
        parts: [
          { field: 'caption', text: 'x' },
          { field: 'button', text: github },
        ],
      }),
    ).toMatchObject({ decision: 'block' })
  })

  it('a phrase split over messages is held back with the message that completes it', async () => {
    const split = phrase.split(' ')
    expect(
      await outbound({
        notification: split.slice(8).join(' '),
        recent: [split.slice(0, 4).join(' '), split.slice(4, 8).join(' ')],
      }),
    ).toMatchObject({ decision: 'block' })
    expect(await outbound({ notification: github.slice(20), recent: [github.slice(0, 20)] })).toMatchObject({
      decision: 'block',
    })
  })

  it('a token split over an edit is held back', async () => {
    expect(
      await outbound({ type: 'edit', notification: github.slice(20), before: github.slice(0, 20) }),
    ).toMatchObject({ decision: 'block' })
  })

  it('a secret in a file is held back, and a file that it cannot read is named', async () => {
    const send = (name: string, bytes: Buffer | string): Promise<JsonObject> => {
      const path = join(workspace.folder, 'kept')
      writeFileSync(path, bytes)
      return outbound({
        notification: 'Look:',
        files: [{ name, path, size: bytes.length, type: 'text/plain' }],
      })
    }
    const held = {
      decision: 'block',
      reason:
        'Held back, because it contains: GitHub token (40 characters) in a file. Say where the secret is kept (a variable, a file) instead of quoting it.',
    }
    const unread = (name: string): JsonObject => ({
      decision: 'block',
      reason: `Held back, because these files could not be read: ${name}. Send them as text of at most 5 MB, or send the message without them.`,
    })
    expect(await send('a.txt', `${'Hi. '.repeat(1_200_000)}${github}`)).toEqual(held)
    expect(await send('a.txt', Buffer.from(`\ufeff${github}`, 'utf16le'))).toEqual(held)
    expect(await send('a.txt', 'hello')).toEqual({})
    expect(await send('a.png', Buffer.from([0x89, 0x50, 0, 1, 2]))).toEqual({})
    expect(await send('b.txt', 'Hi. '.repeat(1_250_001))).toEqual(unread('b.txt'))
    expect(await send('c.zip', 'PK\x03\x04')).toEqual(unread('c.zip'))
    expect(await send(`${github}.zip`, 'PK\x03\x04')).toEqual(unread('a file'))
    execFileSync('mkfifo', [join(workspace.folder, 'pipe')])
    expect(
      await outbound({
        files: [
          { name: 'd', path: join(workspace.folder, 'pipe') },
          { name: 'e', path: join(workspace.folder, 'none') },
          { name: 'f' },
        ],
      }),
    ).toEqual(unread('d, e, f'))
  })

  it('what was said before holds nothing back now', async () => {
    expect(await outbound({ notification: 'Done.', recent: [phrase, github, `0x${digest}`] })).toEqual({})
  })

  it('a tool call is judged by every text in its input, however deep', async () => {
    const call = (input: JsonObject): Promise<JsonObject> =>
      ask('block_secrets.py', 'pre_tool_call', { tool_input: input }, workspace.folder)
    expect(await call({ files: [{ path: 'a', lines: ['x', { deep: github }] }] })).toMatchObject({
      decision: 'block',
    })
    expect(await call({ private_key: digest })).toMatchObject({ decision: 'block' })
    expect(await call({ words: phrase.split(' ') })).toMatchObject({ decision: 'block' })
    expect(await call({ command: `echo ${digest} > sums` })).toEqual({})
  })

  it('before a model call it warns of the last words of the person, once', async () => {
    const call = (fields: JsonObject): Promise<JsonObject> =>
      ask(
        'block_secrets.py',
        'pre_llm_call',
        { last_user_message: `use ${github}`, ...fields },
        workspace.folder,
      )
    const warning = { add_warning: expect.stringContaining('GitHub token (40 characters)') }
    const user = { role: 'user', content: `use ${github}` }
    expect(await call({ messages: [user] })).toEqual(warning)
    expect(await call({ messages: [] })).toEqual(warning)
    expect(await call({ messages: [user, { role: 'tool', content: 'done' }] })).toEqual({})
    expect(await call({ last_user_message: 'hello', system: github })).toEqual({})
  })

  it('a person is warned, and the message goes on', async () => {
    const answer = await ask(
      'block_secrets.py',
      'on_user_message',
      { message: `use ${github}` },
      workspace.folder,
    )
    expect(answer).toEqual({ add_warning: expect.stringContaining('GitHub token (40 characters)') })
    expect(await ask('block_secrets.py', 'on_user_message', { message: 'hello' }, workspace.folder)).toEqual(
      {},
    )
  })
})
