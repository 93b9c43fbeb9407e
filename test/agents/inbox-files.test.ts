import { mkdtemp, readdir, readFile, rm, truncate, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plainName, saveFiles } from '../../src/agents/inbox-files.ts'

let workspace = ''
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'hookgate-files-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

const file = (name: string, id = 'p.0') => ({ id, name, type: 'x/y', size: 3 })
const client = {
  file: (id: string) =>
    id.startsWith('bad')
      ? Promise.reject(
          new Error(
            'Expected the messenger to give the file, but it is away. Ask the person to send it again.',
          ),
        )
      : Promise.resolve(new TextEncoder().encode(`bytes of ${id}`)),
}

test('a name is of its folder alone, whatever a stranger chose', () => {
  const names: readonly [string, string][] = [
    ['photo.jpg', 'photo.jpg'],
    ['Bild von Mia ü.png', 'Bild von Mia ü.png'],
    ['报告.pdf', '报告.pdf'],
    ['../../.ssh/authorized_keys', 'authorized_keys'],
    ['..\\..\\evil.exe', 'evil.exe'],
    ['/etc/passwd', 'passwd'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['a\u0000b\n/hooks on', 'hooks on'],
    ['gpj.\u202Eexe', 'gpj._exe'],
    ['$(reboot).txt', '_reboot_.txt'],
    ['..', 'file'],
    ['', 'file'],
    ['/', 'file'],
    ['\uD800.txt', '_.txt'],
  ]
  for (const [name, plain] of names) expect(plainName(name), name).toBe(plain)
  for (const long of ['x'.repeat(1e6), `${'é'.repeat(1e5)}.tar.gz`, `a.${'x'.repeat(1e5)}`, ' '.repeat(1e6)])
    expect(Buffer.byteLength(plainName(long))).toBeLessThanOrEqual(120)
  expect(plainName(`${'é'.repeat(200)}.pdf`)).toMatch(/^é+\.pdf$/)
})

test('what a person sent is saved, nothing that is there is touched, and each is told in a line', async () => {
  await mkdir(join(workspace, 'inbox'))
  await writeFile(join(workspace, 'inbox', 'a.txt'), 'mine')
  expect(
    await saveFiles(
      [file('a.txt'), file('a.txt', 'p.1'), file('b', 'bad'), file('c', 'p.2')],
      client,
      workspace,
    ),
  ).toEqual([
    'Received a.txt (12 bytes), saved as inbox/a-2.txt.',
    'Received a.txt (12 bytes), saved as inbox/a-3.txt.',
    'I could not save b: Expected the messenger to give the file, but it is away. Ask the person to send it again.',
    'Received c (12 bytes), saved as inbox/c.',
  ])
  expect((await readdir(join(workspace, 'inbox'))).toSorted()).toEqual(['a-2.txt', 'a-3.txt', 'a.txt', 'c'])
  expect([
    await readFile(join(workspace, 'inbox', 'a.txt'), 'utf8'),
    await readFile(join(workspace, 'inbox', 'a-3.txt'), 'utf8'),
  ]).toEqual(['mine', 'bytes of p.1'])
})

test('a full folder takes no more, by count or by size, and says so', async () => {
  const full = [
    'I could not save a.txt: inbox/ is full (1000 files or 1 GB). Remove files that are no longer needed, then send the file again.',
  ]
  const inbox = join(workspace, 'inbox')
  await mkdir(inbox)
  await writeFile(join(inbox, 'sparse'), '')
  await truncate(join(inbox, 'sparse'), 1_000_000_000)
  expect(await saveFiles([file('a.txt')], client, workspace)).toEqual(full)
  await truncate(join(inbox, 'sparse'), 0)
  await Promise.all(Array.from({ length: 998 }, (_, index) => writeFile(join(inbox, `n${index}`), '')))
  expect(await saveFiles([file('a.txt')], client, workspace)).toEqual([
    'Received a.txt (12 bytes), saved as inbox/a.txt.',
  ])
  expect(await saveFiles([file('a.txt')], client, workspace)).toEqual(full)
})
