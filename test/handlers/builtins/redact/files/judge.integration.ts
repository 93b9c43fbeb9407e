import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { judge, type FileJudgement } from '../../../../../src/handlers/builtins/redact/files/judge.ts'
import { containers, docx, gif, jpeg, keep, png, pngText, tar, wav, zip } from '../made-files.ts'
import { madeSecrets } from '../made-secrets.ts'
import { seeded } from '../seeded.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookgate-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'kept')
const look = (bytes: Buffer | string, name = 'a.bin', withinMs = 20_000): Promise<FileJudgement> => {
  keep(path, bytes)
  return judge([{ name, path }], withinMs)
}
const chance = seeded(5)
const make = (kind: string): string => madeSecrets[kind]?.(chance) ?? ''
const github = make('github')
const found = (words: string) => ({ kind: 'found', words })
const unjudged = (words: string) => ({
  kind: 'unjudged',
  words: `The file a.bin ${words}.`,
  isLate: false,
  mayAsk: words.endsWith('which is not opened'),
})
const file = (text: string, rest = {}) => ({ name: 'key.txt', bytes: Buffer.from(text), ...rest })

describe('a secret in a file', () => {
  test.each(Object.entries(containers))(
    'is found and told by kind, file and number, never by itself: %s',
    async (name, write) => {
      const said = await look(write(`The key: ${github} is it.`), 'notes.bin')
      // In a title it stands in hex and in a mail in its own code, which are other forms of it.
      expect(said).toEqual(
        found(
          `The file notes.bin holds ${/quoted-printable/.test(name) ? '2 secrets (2 × github)' : '1 secret (github)'}.`,
        ),
      )
    },
  )

  test('is counted by what it is, not by how often it stands there; every file that has one is named', async () => {
    const other = join(folder, 'other')
    keep(path, `${github}\n${make('aws')}\n${github}\n${make('github')}`)
    keep(other, make('seed phrase, 12'))
    const said = await judge(
      [
        { name: 'a.txt', path },
        { name: 'b.txt', path: other },
        { name: 'c.txt', path: join(folder, 'none') },
      ],
      20_000,
    )
    expect(said).toEqual(
      found(
        'The file a.txt holds 3 secrets (2 × github, aws).\nThe file b.txt holds 1 secret (seed phrase).',
      ),
    )
  })

  test('is found in the name of an entry, in a comment, and behind the end', async () => {
    for (const bytes of [
      zip([file('x'), { name: `${github}.txt`, bytes: Buffer.alloc(0) }]),
      zip([file('x')], { comment: github }),
      tar([{ name: `${github}.txt`, bytes: Buffer.alloc(0) }]),
      Buffer.concat([tar([file('x')]), Buffer.from(github)]),
      Buffer.concat([png(), Buffer.from(github)]),
    ]) {
      expect(await look(bytes)).toMatchObject({ kind: 'found' })
    }
  })

  test('does not stand in the words about a file that is named after it', async () => {
    expect(await look(github, `${github}\n✓.txt`)).toEqual(
      found('The file [redacted: github] ✓.txt holds 1 secret (github).'),
    )
    expect(await look(zip([file('x', { name: `${github}.txt`, isEncrypted: true })]))).toEqual(
      found('The file a.bin holds 1 secret (github).'),
    )
  })

  test('is found in a paragraph of its own', async () => {
    expect(await look(docx(`so\n${github}\nit`, 3))).toMatchObject({ kind: 'found' })
  })
})

const long = `${'Here is some more text, of which there is much. '.repeat(9)}${github} is it.`
const heads = {
  png: png(),
  jpeg: jpeg({ ascii: 'Camera' }),
  gif: gif('Made by hand'),
  wav: wav(),
  tar: tar([file('x')]),
  zip: zip([file('x')]),
  text: Buffer.from('Dear Anna,\nhere is what you wanted.\n'),
  gzip: gzipSync('Hello, Anna.'),
  'gzip and zeros': Buffer.concat([gzipSync('Hello, Anna.'), Buffer.alloc(600)]),
  zlib: deflateSync('Hello, Anna.'),
  // Only a longer text shows that such bytes were compressed.
  deflate: deflateRawSync('Hello, Anna. '.repeat(6)),
}
describe.each(Object.entries(heads))('what stands behind the end of another file: %s', (name, head) => {
  const behind = (bytes: Buffer): Promise<FileJudgement> => look(Buffer.concat([head, bytes]))

  test('is looked into', async () => {
    for (const bytes of [gzipSync(long), Buffer.concat([Buffer.alloc(40), png(), gzipSync(long)])])
      expect(await behind(bytes)).toEqual(found('The file a.bin holds 1 secret (github).'))
    // Where a text ends and other data begins, nobody can tell to the byte.
    for (const bytes of [deflateRawSync(long), deflateSync(long), brotliCompressSync(long)])
      expect(['found', ...(name === 'text' ? ['unjudged'] : [])]).toContain((await behind(bytes)).kind)
  })

  test('cannot be judged when it is of no known kind', async () => {
    const noise = seeded(8).bytes(100)
    expect(await behind(noise)).toEqual(unjudged('has data behind its end that is of no known kind'))
    expect(await behind(Buffer.concat([Buffer.from('fd377a585a00', 'hex'), noise]))).toEqual(
      unjudged('is compressed in an unsupported format (xz)'),
    )
    // A secret that is plain to see outweighs what could not be judged.
    expect(await behind(Buffer.concat([noise, Buffer.from(`\0${github}\0`)]))).toMatchObject({
      kind: 'found',
    })
  })

  test('passes when it is harmless, or nothing', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(700),
      Buffer.from('Bye.\n'),
      jpeg(),
      gzipSync('Bye.'),
      ...(name === 'zip' ? [] : [zip([file('x')])]),
    ])
      expect(await behind(bytes)).toEqual({ kind: 'clean' })
  })
})

test('a file whose kind begins with its name, or by chance like a text, is none with data behind it', async () => {
  for (const name of ['bplist00', 'gimp xcf v011\0', 'Kaydara FBX Binary  \0', 'Ä-Øx»qB '])
    expect(await look(Buffer.concat([Buffer.from(name), seeded(8).bytes(900)]))).toEqual({ kind: 'clean' })
})

test('A secret that is plain to see in a file that is never opened is found', async () => {
  for (const head of ['%PDF-1.7\n', 'SQLite format 3\0', '{\\rtf1 '])
    expect(await look(Buffer.from(`${head}${github} is it.`))).toMatchObject({ kind: 'found' })
})

test('A comment of a GIF is read over its blocks', async () => {
  expect(await look(gif(`${'x '.repeat(117)}${github}`))).toMatchObject({ kind: 'found' })
  expect(await look(gif(github, 7))).toMatchObject({ kind: 'found' })
})

test('Texts in old alphabets and with control characters pass', async () => {
  for (const bytes of [
    Buffer.from('d0e5e4e0eaf2eef020'.repeat(40), 'hex'),
    Buffer.from('Grüße aus Köln, und bis bald. '.repeat(20), 'latin1'),
    Buffer.from('N\bNA\bAM\bME\bE\0\x07 密码不要写在这里 '.repeat(20)),
    Buffer.from('P6\n2 2\n255\n\0\x01\x02abcdefghi', 'latin1'),
  ])
    expect(await look(bytes)).toEqual({ kind: 'clean' })
})

test('A list of true and false is no phrase', async () => {
  expect(
    await look(
      zip([
        {
          name: 'settings.xml',
          bytes: Buffer.from(
            `<?xml version="1.0"?><a>${Array.from({ length: 4000 }, (_, at) => `<b>${(at * at) % 7 < 3}</b>`).join('\n')}</a>`,
          ),
        },
      ]),
    ),
  ).toEqual({ kind: 'clean' })
})

describe('a file that cannot be judged', () => {
  const packed = (bytes: Buffer, times: number): Buffer =>
    times === 0 ? bytes : packed(zip([{ name: 'inner.zip', bytes }]), times - 1)
  const twoSizes = zip([file('x'.repeat(90))])
  twoSizes.writeUInt32LE(1, 18)
  const hidden = zip([file(github)])
  test.each<[string, Buffer, string]>([
    [
      'an encrypted entry',
      zip([file('x'), file('y', { isEncrypted: true })]),
      'holds an encrypted entry: key.txt',
    ],
    [
      'an unknown packing in a zip',
      zip([file('x', { method: 12 })]),
      'is compressed in an unsupported way (zip method 12)',
    ],
    [
      'an unknown archive',
      Buffer.concat([Buffer.from('377abcaf271c', 'hex'), randomBytes(100)]),
      'is compressed in an unsupported format (7z)',
    ],
    [
      'a file of lzma',
      Buffer.concat([Buffer.from('5d00008000', 'hex'), randomBytes(100)]),
      'is compressed in an unsupported format (lzma)',
    ],
    ['RTF', Buffer.from('{\\rtf1 hello}'), 'is a rich text file (RTF), which is not opened'],
    [
      'SQLite',
      Buffer.from(`SQLite format 3\0${'x'.repeat(600)}`),
      'is a database of SQLite, which is not opened',
    ],
    [
      'what unpacks to more than there may be, without a mark',
      deflateRawSync(Buffer.alloc(60_000_000)),
      'unpacks to more than 50 MB',
    ],
    [
      'one within a zip',
      zip([{ name: 'a.xz', bytes: Buffer.from('fd377a585a0000', 'hex') }]),
      'is compressed in an unsupported format (xz)',
    ],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'is a PDF, which is not opened'],
    [
      'a PDF behind other bytes',
      Buffer.concat([Buffer.from('x'.repeat(900)), Buffer.from('%PDF-1.4\n')]),
      'is a PDF, which is not opened',
    ],
    ['a PDF within a zip', zip([file('%PDF-2.0\n')]), 'is a PDF, which is not opened'],
    ['three levels', packed(Buffer.from('x'), 3), 'is packed more than 2 levels deep'],
    ['a bomb', zip([{ name: 'zeros', bytes: Buffer.alloc(51_000_000) }]), 'unpacks to more than 50 MB'],
    [
      'a bomb of many',
      zip(Array.from({ length: 6 }, (_, at) => ({ name: `${at}`, bytes: Buffer.alloc(9_000_000) }))),
      'unpacks to more than 50 MB',
    ],
    ['a bomb of gzip', gzipSync(Buffer.alloc(51_000_000)), 'unpacks to more than 50 MB'],
    [
      'too many entries',
      zip(Array.from({ length: 10_001 }, (_, at) => ({ name: `${at}`, bytes: Buffer.alloc(0), method: 0 }))),
      'holds more than 10000 entries',
    ],
    ['a torn zip', zip([file(github.repeat(9))]).subarray(0, 60), 'is damaged: its directory cannot be read'],
    ['a torn gzip', gzipSync(randomBytes(500)).subarray(0, 300), 'is damaged'],
    [
      'a torn tar',
      tar([file('x'.repeat(9000))]).subarray(0, 4000),
      'is damaged: one of its entries cannot be read',
    ],
    [
      'an entry that the directory does not name',
      Buffer.concat([hidden.subarray(0, hidden.indexOf('PK\x01\x02')), zip([file('x')])]),
      'holds an entry that is not in its directory',
    ],
    [
      'bytes behind what is packed in a zip',
      zip([file('x', { behind: 'y' })]),
      'has bytes after the compressed data at its entry key.txt',
    ],
    [
      'a second part behind zstd',
      Buffer.concat([zstdCompressSync('x'), zstdCompressSync('y')]),
      'has bytes after the compressed data',
    ],
    ['an entry of two sizes', twoSizes, 'has contradictory data about its entry key.txt'],
    ['too large', Buffer.alloc(20_000_001), 'is too large: all files of a message may have 20 MB'],
  ])('is told, with its name and why: %s', async (_what, bytes, words) => {
    expect(await look(bytes)).toEqual(unjudged(words))
  })

  test('is one that is not a stored copy: a link, a pipe, a folder, what only some can read or anybody can change', async () => {
    const link = join(folder, 'link')
    symlinkSync(path, link)
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const said = async (at: string) => judge([{ name: 'a.bin', path: at }], 20_000)
    expect(await said(link)).toEqual(unjudged('could not be read (ELOOP)'))
    expect(await said(pipe)).toEqual(unjudged('is not a stored copy'))
    expect(await said(folder)).toEqual(unjudged('is not a stored copy'))
    for (const mode of [0o400, 0o644, 0o555]) {
      chmodSync(path, mode)
      expect(await said(path), String(mode)).toEqual(unjudged('is not a stored copy'))
    }
    expect(await said(join(folder, 'none'))).toEqual(unjudged('could not be read (ENOENT)'))
  })

  test('is one for which there was no time', async () => {
    expect(await look('word '.repeat(1000), 'a.bin', 0)).toEqual({
      ...unjudged('was not scanned in time'),
      isLate: true,
    })
  })

  test('is not hidden by the others, and all files of one message have one bound', async () => {
    keep(path, Buffer.alloc(11_000_000))
    expect(
      await judge(
        [
          { name: 'a.bin', path },
          { name: 'b.bin', path },
        ],
        20_000,
      ),
    ).toMatchObject({
      kind: 'unjudged',
      words: 'The file b.bin is too large: all files of a message may have 20 MB.',
    })
  })
})

test.each(Object.entries(containers))('An ordinary file passes: %s', async (_name, write) => {
  expect(
    await look(
      write(
        'Dear Anna, commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b (see https://example.org/a?b=c) is in. Bye.',
      ),
    ),
  ).toEqual({ kind: 'clean' })
})

test('A picture without texts passes, and one with an honest text', async () => {
  for (const bytes of [png(), png([pngText.zTXt('Made by hand')]), Buffer.alloc(0), Buffer.from('x')])
    expect(await look(bytes)).toEqual({ kind: 'clean' })
})
