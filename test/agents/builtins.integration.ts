import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPlace, type Place } from './builtins-place.ts'
import { git, repository } from './hostile-repository.ts'

let place: Place
let folder = ''
let cwd = ''
beforeEach(() => {
  place = createPlace()
  ;({ folder, cwd } = place)
})
afterEach(() => place.remove())

const ask = (...asked: Parameters<Place['ask']>) => place.ask(...asked)
const write = (path: string, text: string): void => place.write(path, text)
const contextOf = async (...asked: Parameters<Place['ask']>): Promise<string> => {
  const { context } = await ask(...asked)
  if (typeof context !== 'string') throw new Error('Expected context, got none.')
  return context
}

describe('what git says', () => {
  test('of a repository is context: its status, its diff, its commits', async () => {
    repository(cwd)
    write('a.txt', 'two\n')
    write('new.txt', 'x')
    expect(await ask('add_git_status')).toEqual({ context: 'Git status:\n## main\n M a.txt\n?? new.txt' })
    expect(await ask('add_git_diff')).toEqual({ context: expect.stringContaining('a.txt | 2 +-') })
    expect(await ask('add_git_diff', ['full'])).toEqual({ context: expect.stringContaining('-one\n+two') })
    expect(await ask('add_recent_commits', ['3'])).toEqual({
      context: expect.stringMatching(/^Recent commits:\n[0-9a-f]+ first$/),
    })
  })

  test('is cut after 4 KB, and says so', async () => {
    repository(cwd)
    write('a.txt', 'line\n'.repeat(5000))
    const context = await contextOf('add_git_diff', ['full'])
    expect(context.length).toBeLessThan(4300)
    expect(context).toContain('cut after 4096 bytes')
  })

  test.each(['add_git_status', 'add_git_diff', 'add_recent_commits'])(
    'outside of a repository is nothing, and no fault: %s',
    async (name) => {
      expect(await ask(name)).toEqual({})
    },
  )

  test('of a repository without a commit is no fault', async () => {
    git(cwd, 'init', '--quiet')
    expect(await ask('add_recent_commits')).toEqual({})
    expect(await ask('add_git_status')).toHaveProperty('context')
  })

  test('where there is no git is a fault with what to do', async () => {
    const said = await place.builtins('/nonexistent')({ name: 'add_git_status', args: [], cwd })
    expect(said).toEqual({ error: 'The agent host finds no git on its PATH. Install git.' })
  })
})

describe('what stands around', () => {
  test('is told: environment, user, folder', async () => {
    repository(cwd)
    write('sub/x', '')
    expect((await ask('add_environment_info'))['context']).toMatch(
      new RegExp(
        `Working directory: ${cwd}\nGit repository: yes\nOperating system: \\w+\nArchitecture: \\w+\nShell: `,
      ),
    )
    expect((await ask('add_user_info'))['context']).toMatch(/^User: \S+\nHost: /)
    expect((await ask('add_directory_listing'))['context']).toBe('Directory listing:\n.git/\na.txt\nsub/')
  })

  test('a folder of more than a hundred entries is told in part', async () => {
    for (let index = 0; index < 130; index++) write(`f${index}\n✓`, '')
    const shown = (await contextOf('add_directory_listing')).split('\n')
    expect(shown).toHaveLength(102)
    expect(shown.at(-1)).toBe('[… 30 further entries]')
  })
})

describe('prompt files', () => {
  test('are found from the folder upwards, the nearest first, and in the home', async () => {
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'home', 'ME.md'), 'home')
    write('ME.md', 'near')
    write('sub/deep/x', '')
    write('TOP.md', 'top')
    expect(await ask('add_prompt_files', ['ME.md', 'TOP.md', 'NONE.md'], join(cwd, 'sub/deep'))).toEqual({
      context: `Contents of ${cwd}/ME.md:\nnear\n\nContents of ${folder}/home/ME.md:\nhome\n\nContents of ${cwd}/TOP.md:\ntop`,
    })
    expect(await ask('add_prompt_files', ['TOP.md', '--depth=1'], join(cwd, 'sub/deep'))).toEqual({})
  })

  test('are regular files of bounded size; a pipe is not waited for', async () => {
    execFileSync('mkfifo', [join(cwd, 'PIPE.md')])
    mkdirSync(join(cwd, 'DIR.md'))
    expect(await ask('add_prompt_files', ['PIPE.md', 'DIR.md'])).toEqual({})
    write('BIG.md', 'é'.repeat(100_000))
    const { context } = await ask('add_prompt_files', ['BIG.md'])
    expect(Buffer.byteLength(JSON.stringify({ context }))).toBeLessThanOrEqual(64 * 1024)
    expect(context).toMatch(/cut: a builtin may return 64 KB|bytes left out/)
  })
})

describe('undo', () => {
  const read = (path: string): string => readFileSync(join(cwd, path), 'utf8')
  const snap = async () => expect(await ask('snapshot')).toEqual({})
  const tree = (): string =>
    execFileSync('sh', ['-c', 'find . -path ./.git -prune -o \\( -type f -o -type l \\) -print | sort'], {
      cwd,
      encoding: 'utf8',
    })

  test('brings back what was deleted, reverts what was changed, removes what is new, and goes further back each time', async () => {
    write('keep', '1')
    write('change', 'crlf\r\n')
    write('gone/deep', '3')
    symlinkSync('keep', join(cwd, 'link'))
    await snap()
    write('change', 'other')
    rmSync(join(cwd, 'gone'), { recursive: true })
    rmSync(join(cwd, 'link'))
    write('new/file', 'x')
    await snap()
    write('keep', 'again')
    expect(await ask('undo')).toEqual({
      context: 'Undone. Reverted 1: keep. Earlier snapshots left: 1.',
    })
    expect(read('keep')).toBe('1')
    expect(await ask('undo')).toEqual({
      context:
        'Undone. Brought back 2: gone/deep, link. Reverted 1: change. Removed 1: new/file. No earlier snapshot is left.',
    })
    expect(tree()).toBe('./change\n./gone/deep\n./keep\n./link\n')
    expect(read('change')).toBe('crlf\r\n')
    expect(await ask('undo')).toEqual({
      context:
        'Nothing to undo: no snapshot differs from your files. The built-in hook "snapshot" takes snapshots once it is approved. From now on /undo can go back to the present files.',
    })
  })

  test('keeps the conversation of the agent, which lies in the same folder', async () => {
    write('.hookgate/sessions/main/a.jsonl', 'one\n')
    write('change', '1')
    await snap()
    write('.hookgate/sessions/main/a.jsonl', 'one\ntwo\n')
    write('change', '2')
    expect(await ask('undo')).toEqual({ context: 'Undone. Reverted 1: change. No earlier snapshot is left.' })
    expect(read('.hookgate/sessions/main/a.jsonl')).toBe('one\ntwo\n')
  })

  test('never touches the person’s own repository, and works without one', async () => {
    repository(cwd)
    const before = execFileSync(
      'sh',
      ['-c', 'find .git -type f -exec sha256sum {} + | sort; stat -c "%Y %n" .git/index'],
      { cwd, encoding: 'utf8' },
    )
    await snap()
    write('a.txt', 'two')
    await ask('undo')
    expect(read('a.txt')).toBe('one\n')
    expect(
      execFileSync(
        'sh',
        ['-c', 'find .git -type f -exec sha256sum {} + | sort; stat -c "%Y %n" .git/index'],
        { cwd, encoding: 'utf8' },
      ),
    ).toBe(before)
  })

  test('leaves alone what git ignores, what was too big, and a repository inside', async () => {
    write('.gitignore', '.env\n')
    write('.env', 'KEY=1')
    write('big', 'x'.repeat(3 * 1024 * 1024))
    repository(join(cwd, 'inside'))
    await snap()
    write('.gitignore', '')
    write('big', 'small now')
    rmSync(join(cwd, 'inside/.git'), { recursive: true })
    expect(await ask('undo')).toEqual({
      context:
        'Undone. Reverted 1: .gitignore. Left alone 3: .env, big, inside/a.txt. No earlier snapshot is left.',
    })
    expect([read('.gitignore'), read('.env'), read('big'), read('inside/a.txt')]).toEqual([
      '.env\n',
      'KEY=1',
      'small now',
      'one\n',
    ])
  })

  test('does not write through a link that was put in a folder’s place', async () => {
    write('folder/file', 'mine')
    await snap()
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'file'), 'theirs')
    rmSync(join(cwd, 'folder'), { recursive: true })
    symlinkSync(outside, join(cwd, 'folder'))
    await ask('undo')
    expect([readFileSync(join(outside, 'file'), 'utf8'), read('folder/file')]).toEqual(['theirs', 'mine'])
  })
})

test('What the gate asks for and is not there is told', async () => {
  expect(await ask('constructor')).toMatchObject({ error: expect.stringContaining('add_git_status') })
  expect(await ask('add_git_status', [], '/no/such/folder')).toMatchObject({
    error: expect.stringContaining('/no/such/folder'),
  })
})
