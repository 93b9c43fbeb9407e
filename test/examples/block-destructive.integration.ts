import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compilePattern } from '../../src/core/model/base/pattern.ts'
import type { Json, JsonObject } from '../../src/core/model/base/json.ts'
import { ask, examplePath, makeWorkspace, runProgram, type Workspace } from './run-example.ts'
import { needs } from '../needs.ts'

const blocked = [
  'rm -rf /',
  'sudo rm -rf /',
  'rm -r -f ~',
  'rm --force --recursive "$HOME"',
  'rm -fR -- /etc',
  'rm -rf *',
  'rm -rf ./*',
  'rm -rf ..',
  'rm -rf .',
  'A=1 rm -rf /',
  String.raw`\rm -rf /`,
  '/bin/rm -rf /',
  `'r'm -rf /`,
  'rm\t-rf\t/',
  'X=/; rm -rf "$X"',
  'rm -rf "$UNKNOWN/build"',
  'true; rm -rf /',
  'true && rm -rf /',
  'false || rm -rf /',
  'true | rm -rf /',
  'true\nrm -rf /',
  'sleep 1 & rm -rf /',
  'echo $(rm -rf /)',
  'echo "`rm -rf /`"',
  'sh -c "rm -rf /"',
  `bash -lc 'cd /tmp && rm -rf /'`,
  'sudo env A=1 nohup rm -rf /',
  'echo / | xargs rm -rf',
  'find / -name x -delete',
  'echo "rm -rf /" | bash',
  'bash <<EOF\nrm -rf /\nEOF',
  'cat <<EOF\n$(rm -rf /)\nEOF',
  'cd .. && rm -rf other',
  'rm -rf src/../../..',
  'dd if=/dev/zero of=/dev/sda',
  'mkfs.ext4 /dev/sdb1',
  ':(){ :|:& };:',
  'echo x > /dev/sda',
  'chmod -R 777 /',
  'git push --force origin main',
  'sudo shutdown now',
  'echo \\\\\nrm -rf /',
  'coproc X { rm -rf /; }',
  'time -p rm -rf /',
  'r{m,} -rf /',
  '{rm,-rf,/}',
  'r{m..m} -rf /',
  'rm -rf {/etc,}',
  'gi{t,} push -f origin main',
  'RM -rf /',
  'function f { rm -rf /; }; f',
  `trap 'rm -rf /' EXIT`,
  `alias x='rm -rf /'`,
  'eval -- rm -rf /',
  'source <(echo rm -rf /)',
  'bash <(echo rm -rf /)',
  `bash - <<< 'rm -rf /'`,
  'BASH_ENV=<(echo rm -rf /) bash -c true',
  'set -- rm -rf /; "$@"',
  `script -c 'rm -rf /' /dev/null`,
  'unshare -r rm -rf /',
  `env -S'rm -rf /'`,
  '/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /',
  `test -v 'a[$(rm -rf /)]'`,
  'find -L / -delete',
  'find / -type f | xargs rm',
  `echo / | xargs -I{} sh -c 'rm -rf {}'`,
  'shred -u /etc/passwd',
  `git -c alias.x='!rm -rf /' x`,
  'git push -f origin $(git branch --show-current)',
  `rm -rf ${'{'.repeat(40)}/,x${'}'.repeat(40)}`,
]

const passed = [
  'echo "rm -rf /"',
  `echo 'rm -rf /'`,
  'echo rm -rf /',
  'grep -rn "rm -rf" .',
  'git commit -m "never rm -rf / again"',
  '# rm -rf /',
  'ls # rm -rf /',
  'man rm',
  'rm -rf node_modules',
  'rm -rf ./dist build/*',
  'rm x.txt',
  'rm -f *',
  'cd build && rm -rf out',
  't=$(mktemp -d); rm -rf "$t"',
  'rm -rf "$PWD/out"',
  `cat > run.sh <<'EOF'\nrm -rf /\nEOF`,
  `git commit -m "$(cat <<'EOF'\nrm -rf /\nEOF\n)"`,
  `python3 -c 'print("rm -rf /")'`,
  'find . -name "*.pyc" -delete',
  'find . -name node_modules | xargs rm -rf',
  'dd if=a of=b',
  'ls > /dev/null 2>&1',
  'chmod -R u+w .',
  'git push --force-with-lease origin topic',
  'npm run format',
  'docker rm -f web',
  'shutdown -c',
  'rm -rf {dist,build}/out',
  'echo {rm,-rf,/}',
  'git stash drop stash@{0}',
  'find . -type f | xargs rm',
  `trap 'rm -rf build' EXIT`,
  `git -c user.name='A B' commit`,
  'diff <(ls) <(ls -a)',
]

describe('block_destructive.sh', needs('python3'), () => {
  let workspace: Workspace
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())
  const call = (input: Json, tool = 'bash', more: JsonObject = {}): Promise<JsonObject> =>
    ask(
      'block_destructive.sh',
      'pre_tool_call',
      { tool_name: tool, tool_input: input, ...more },
      workspace.folder,
    )

  it.each(blocked)('%j is blocked', async (command) => {
    expect(await call({ command })).toMatchObject({
      decision: 'block',
      reason: expect.stringMatching(/^Blocked as destructive: .+ ask the person/),
    })
  })

  it('the matcher that is proposed with it spares it none of these', () => {
    const lines = readFileSync(join(examplePath('.'), '..', 'config', 'shell_hooks.yaml'), 'utf8').split('\n')
    const at = lines.findIndex((line) => line.includes('./.hookgate-examples/block_destructive.sh'))
    const matcher = /^ *matcher: (".*")$/.exec(lines[at - 1] ?? '')?.[1] ?? '""'
    const pattern = compilePattern(JSON.parse(matcher) as string)
    if ('wrong' in pattern || pattern.kind !== 'linear') throw new Error('no linear pattern')
    expect(blocked.filter((command) => !pattern.test(command))).toEqual([])
  })

  it.each(passed)('%j passes', async (command) => {
    expect(await call({ command })).toEqual({})
  })

  it('inside and outside are told by the folder that the agent works in', async () => {
    expect(await call({ command: `rm -rf ${workspace.folder}/out` })).toEqual({})
    expect(await call({ command: `rm -rf ${workspace.folder}` })).toMatchObject({ decision: 'block' })
    expect(await call({ command: `rm -rf ${workspace.folder}-other` })).toMatchObject({ decision: 'block' })
    expect(await call({ command: 'rm -rf out' }, 'bash', { cwd: '/' })).toMatchObject({ decision: 'block' })
    expect(await call({ command: 'rm -rf out', cwd: '..' })).toMatchObject({ decision: 'block' })
  })

  it('a command is found in the shapes that tools give it', async () => {
    const shapes: readonly (readonly [Json, string])[] = [
      [{ cmd: 'rm -rf /' }, 'shell'],
      [{ cmd: 'ls', CMD: 'rm -rf /' }, 'shell'],
      [{ command: ['bash', '-lc', 'rm -rf /'] }, 'shell'],
      [{ command: 'rm', args: ['-rf', '/'] }, 'run'],
      [{ commands: ['ls', 'rm -rf /'] }, 'shell'],
      [{ calls: [{ tool: 'x', input: { command: 'rm -rf /' } }] }, 'batch'],
      [{ input: 'rm -rf /' }, 'exec'],
      ['{"command":"rm -rf /"}', 'bash'],
      ['rm -rf /', 'bash'],
    ]
    for (const [input, tool] of shapes)
      expect(await call(input, tool), JSON.stringify(input)).toMatchObject({ decision: 'block' })
  })

  it('text that no shell runs is left alone', async () => {
    const inputs: readonly Json[] = [
      { path: 'clean.sh', content: 'rm -rf /' },
      { command: ['echo', 'rm -rf /'] },
      { command: 'ls', description: 'rm -rf /' },
      { command: 'create', file_text: 'rm -rf /' },
    ]
    for (const input of inputs) expect(await call(input, 'write_file'), JSON.stringify(input)).toEqual({})
  })

  describe('its reader, shell_reader.py', () => {
    const guard = 'block_destructive.sh'
    const copyOf = (name: string, ...files: readonly string[]): string => {
      const folder = join(workspace.folder, name)
      mkdirSync(folder)
      for (const file of files) copyFileSync(examplePath(file), join(folder, file))
      return join(folder, guard)
    }
    const answers = (program: string, command: string): Promise<JsonObject> =>
      ask(program, 'pre_tool_call', { tool_name: 'bash', tool_input: { command } }, workspace.folder)

    it('is found beside a copy of the program, in a folder of any name, and nothing is written there', async () => {
      const copy = copyOf(' a:"copy" $x\n', guard, 'shell_reader.py')
      expect(await answers(copy, 'rm -rf /')).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('rm -r of /'),
      })
      expect(await answers(copy, 'ls')).toEqual({})
      expect(readdirSync(join(copy, '..')).toSorted()).toEqual([guard, 'shell_reader.py'])
    })

    it('when missing, everything is blocked and the reason says what to do, whatever lies in the workspace', async () => {
      const copy = copyOf('alone', guard)
      copyFileSync(examplePath('shell_reader.py'), join(workspace.folder, 'shell_reader.py'))
      for (const command of ['ls', 'rm -rf /']) {
        expect(await answers(copy, command)).toEqual({
          decision: 'block',
          reason: expect.stringMatching(
            /^Expected shell_reader\.py beside block_destructive\.sh, got none, .+ under `files`/,
          ),
        })
      }
      expect((await runProgram(copy, '', workspace.folder, {}, ['--self-test'])).exitCode).toBe(1)
    })

    it('when damaged, everything is blocked', async () => {
      const copy = copyOf('damaged', guard)
      for (const text of ['class ShellReader(', 'UNKNOWN = 1\n']) {
        writeFileSync(join(copy, '..', 'shell_reader.py'), text)
        expect(await answers(copy, 'ls')).toEqual({
          decision: 'block',
          reason: expect.stringMatching(/got one that cannot be used \(\w+Error\)/),
        })
      }
    })

    it('and no other file beside the program takes the place of a standard module', async () => {
      const copy = copyOf('planted', guard, 'shell_reader.py')
      for (const name of ['json', 're', 'os', 'shlex', 'sre_compile', 'posixpath'])
        writeFileSync(join(copy, '..', `${name}.py`), 'import sys\nprint("{}")\nsys.exit(0)\n')
      expect(await answers(copy, 'rm -rf /')).toMatchObject({ decision: 'block' })
    })
  })
})
