import fs from 'node:fs'
import path from 'node:path'
import { doing, forging, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { harm, judged, mayReplaceIn } from '../means.ts'

const runs = 'It could run other code instead of the approved code.'
const speaks = 'It could answer in a hook’s name through the hook’s settings.'
const starts = 'It could change how the gate itself starts next time.'

/**
 * Checks the permission without opening the file: a running program cannot be opened for writing, and yet it
 * can be replaced.
 */
const mayChange = (files: readonly string[]): ForgeryReport => {
  const writable = files.filter((file) => {
    try {
      fs.accessSync(fs.realpathSync(file), fs.constants.W_OK)
      return true
    } catch {
      return false
    }
  })
  return writable.length === 0
    ? refused(`none of ${files.length} can be written`)
    : open(`${writable.slice(0, 3).join(', ')} can be written`)
}

const found = (names: readonly string[], { hookPath }: Target): readonly string[] =>
  names.flatMap((name) =>
    hookPath
      .map((folder) => path.join(folder, name))
      .filter((file) => fs.existsSync(file))
      .slice(0, 1),
  )

const evilPython = 'import os\nos._exit(0)\n'
const pythons = Array.from({ length: 8 }, (_, index) => `python3.${index + 8}`)

/**
 * Writes files, runs the act (absent: does harm), and removes all files and folders that did not exist
 * before.
 */
const withFiles = async (
  target: Target,
  files: Readonly<Record<string, string>>,
  act = async (): Promise<ForgeryReport> => judged(await harm(target)),
): Promise<ForgeryReport> => {
  const made: string[] = []
  try {
    for (const [file, content] of Object.entries(files)) {
      const folder = fs.mkdirSync(path.dirname(file), { recursive: true })
      if (folder !== undefined) made.push(folder)
      fs.writeFileSync(file, content, { flag: 'wx', mode: 0o755 })
      made.push(file)
    }
    return await act()
  } finally {
    for (const file of made) fs.rmSync(file, { recursive: true, force: true })
  }
}

/** Returns a program that writes the command lines of its ancestors to a file. */
const ancestry = (mark: string): string => `#!/bin/sh
p=$$
while [ "$p" -gt 1 ]; do tr '\\0' ' ' < /proc/$p/cmdline >> ${mark}; echo >> ${mark}; p=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$p/stat); done
`

const replacing = forging({ withoutSeparation: runs, varies: true })
const onPython = forging({ needs: ['python', 'guard'] })
const changing = doing('it was changed', { withoutSeparation: runs })
const speaking = forging({ withoutSeparation: speaks })
const reading = forging({
  withoutSeparation: 'It could read what your hooks store, such as a token in a cache.',
})
const guarded = forging({ needs: ['guard'] })
const leaving = doing('they were left', { counts: 'at start' })
const guardedOnLinux = forging({ needs: ['linux', 'guard'] })
const starting = forging({ withoutSeparation: starts, varies: true })
const profiling = forging({ withoutSeparation: starts })

export const programForgeries: readonly Forgery[] = [
  replacing('program.path', 'put a program into a folder on the PATH of hooks', ({ hookPath }) =>
    mayChange(hookPath.filter((folder) => fs.existsSync(folder))),
  ),
  replacing('program.interpreter', 'replace an interpreter', (target) =>
    mayChange(found(['python3', 'sh', 'bash', 'node', 'jq'], target)),
  ),
  onPython('program.own_path', 'put “python3” before the real one on its own PATH', (target) =>
    withFiles(target, {
      [path.join(target.workspace, 'python3')]: '#!/bin/sh\nexit 0\n',
      [path.join(target.workspace, 'bin', 'python3')]: '#!/bin/sh\nexit 0\n',
    }),
  ),
  changing('program.python_start', 'change the file that every Python hook loads first', ({ home }) => {
    const file = path.join(home, 'run', 'python', 'sitecustomize.py')
    fs.writeFileSync(file, evilPython)
  }),
  speaking('program.home', 'put files into the home of hooks', ({ home, mark }) =>
    mayReplaceIn(path.join(home, 'hooks', 'home'), mark),
  ),
  speaking('program.tmp', 'put files into the /tmp of hooks', ({ home, mark }) =>
    mayReplaceIn(path.join(home, 'hooks', 'tmp'), mark),
  ),
  reading('program.home_read', 'read what hooks wrote to their home', ({ home }) =>
    open(`it holds ${fs.readdirSync(path.join(home, 'hooks', 'home')).length} names`),
  ),
  speaking('program.home_link', 'replace the home of hooks by a link', ({ home, workspace }) => {
    const folder = path.join(home, 'hooks', 'home')
    fs.renameSync(folder, `${folder}.moved`)
    fs.symlinkSync(workspace, folder)
    return open('hooks have a folder of the workspace as their home')
  }),
  guarded(
    'program.usercustomize',
    'put usercustomize.py into a folder where Python looks for it',
    (target) => {
      const folders = [target.workspace, path.dirname(target.workspace)].flatMap((folder) =>
        pythons.map((python) => path.join(folder, '.local', 'lib', python, 'site-packages')),
      )
      return withFiles(
        target,
        Object.fromEntries(
          folders.flatMap((folder) =>
            ['usercustomize.py', 'sitecustomize.py', 'evil.pth'].map((name) => [
              path.join(folder, name),
              evilPython,
            ]),
          ),
        ),
      )
    },
  ),
  guarded('program.modules', 'put modules named like Python’s own into the workspace', (target) =>
    withFiles(
      target,
      Object.fromEntries(
        [
          'json.py',
          'sys.py',
          'time.py',
          'sitecustomize.py',
          'usercustomize.py',
          'pyvenv.cfg',
          '.python-version',
        ].map((name) => [path.join(target.workspace, name), evilPython]),
      ),
    ),
  ),
  leaving(
    'program.dotenv',
    'leave settings in the workspace for the next start (.env, .npmrc)',
    ({ workspace }) => {
      for (const name of ['.env', '.npmrc', '.nvmrc', 'package.json', '.node_repl_history'])
        fs.writeFileSync(
          path.join(workspace, name),
          name === 'package.json'
            ? '{"type":"commonjs"}'
            : 'STARCHILD_SHELL_HOOKS=0\nHOOKGATE_OWNERS=telegram:666\nnode-options=--inspect\nNODE_OPTIONS=--inspect\n',
        )
    },
  ),
  guardedOnLinux('program.git', 'let .git/config run a program when a hook asks git', (target) => {
    const { workspace } = target
    const ancestryFile = path.join(workspace, `.${target.mark}`)
    const program = path.join(workspace, '.git', 'evil.sh')
    return withFiles(
      target,
      {
        [path.join(workspace, '.git', 'config')]:
          `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${program}\n\thooksPath = ${workspace}/.git\n\tpager = ${program}\n[diff]\n\texternal = ${program}\n`,
        [path.join(workspace, '.git', 'HEAD')]: 'ref: refs/heads/main\n',
        [path.join(workspace, '.git', 'objects', 'x')]: '',
        [path.join(workspace, '.git', 'refs', 'x')]: '',
        [program]: ancestry(ancestryFile),
      },
      async () => {
        const verdict = await harm(target, ' GIT')
        const ancestors = fs.existsSync(ancestryFile) ? fs.readFileSync(ancestryFile, 'utf8') : ''
        fs.rmSync(ancestryFile, { force: true })
        return /handlers\/host\/process/.test(ancestors)
          ? open('its program ran under the hook host')
          : judged(verdict)
      },
    )
  }),
  starting('tree.source', 'change hookgate’s own program', ({ tree, cli }) =>
    mayChange(
      [
        ...cli.slice(1),
        path.dirname(cli[1] ?? ''),
        path.join(tree, 'package.json'),
        path.join(tree, 'node_modules'),
        path.join(tree, 'node_modules', 'grammy', 'package.json'),
      ].filter((file) => fs.existsSync(file)),
    ),
  ),
  starting('tree.node', 'change the Node that runs hookgate', ({ cli }) =>
    mayChange([cli[0] ?? '', path.dirname(cli[0] ?? '')]),
  ),
  profiling(
    'start.profile',
    'set NODE_OPTIONS or STARCHILD_SHELL_HOOKS in a file that your shell reads',
    ({ userHome, mark }) => mayReplaceIn(userHome, mark),
  ),
]
