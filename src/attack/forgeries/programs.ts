import fs from 'node:fs'
import path from 'node:path'
import { done, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { fire, guardOf, harmful, judged, mayReplaceIn } from '../means.ts'

const runs = 'It could run other bytes in the place of approved ones.'
const speaks = 'It could speak in a hook’s name through its settings.'
const starts = 'It could change how the gate itself starts next time.'

/** Not by opening it: a program that runs cannot be opened for writing, and yet be replaced. */
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

/** Writes files, does what the guard is there for, and takes away again what was not there before. */
const with_ = async (
  target: Target,
  files: Readonly<Record<string, string>>,
  act: () => Promise<ForgeryReport>,
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

/** Who ran a program, told by the program itself: the command lines of its ancestors. */
const ancestry = (mark: string): string => `#!/bin/sh
p=$$
while [ "$p" -gt 1 ]; do tr '\\0' ' ' < /proc/$p/cmdline >> ${mark}; echo >> ${mark}; p=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$p/stat); done
`

export const programForgeries: readonly Forgery[] = [
  {
    name: 'program.path',
    title: 'put a program into a folder where hooks look first',
    withoutSeparation: { meaning: runs, varies: true },
    attempt: ({ hookPath }) => mayChange(hookPath.filter((folder) => fs.existsSync(folder))),
  },
  {
    name: 'program.interpreter',
    title: 'replace an interpreter',
    withoutSeparation: { meaning: runs, varies: true },
    attempt: (target) => mayChange(found(['python3', 'sh', 'bash', 'node', 'jq'], target)),
  },
  {
    name: 'program.own_path',
    title: 'put “python3” before the real one on its own PATH',
    needs: ['python', 'guard'],
    attempt: (target) =>
      with_(
        target,
        {
          [path.join(target.workspace, 'python3')]: '#!/bin/sh\nexit 0\n',
          [path.join(target.workspace, 'bin', 'python3')]: '#!/bin/sh\nexit 0\n',
        },
        async () => judged(await fire(target, harmful(guardOf(target)))),
      ),
  },
  {
    name: 'program.python_start',
    title: 'change what every Python of a hook reads first',
    withoutSeparation: { meaning: runs },
    attempt: ({ home }) => {
      const file = path.join(home, 'run', 'python', 'sitecustomize.py')
      fs.writeFileSync(file, evilPython)
      return done('it was changed')
    },
  },
  {
    name: 'program.home',
    title: 'put files into the home of hooks',
    withoutSeparation: { meaning: speaks },
    attempt: ({ home, mark }) => mayReplaceIn(path.join(home, 'hooks', 'home'), mark),
  },
  {
    name: 'program.tmp',
    title: 'put files into the /tmp of hooks',
    withoutSeparation: { meaning: speaks },
    attempt: ({ home, mark }) => mayReplaceIn(path.join(home, 'hooks', 'tmp'), mark),
  },
  {
    name: 'program.home_read',
    title: 'read what hooks wrote to their home',
    withoutSeparation: { meaning: 'It could read what your hooks keep, such as a token in a cache.' },
    attempt: ({ home }) => open(`it holds ${fs.readdirSync(path.join(home, 'hooks', 'home')).length} names`),
  },
  {
    name: 'program.home_link',
    title: 'put a link in the place of the home of hooks',
    withoutSeparation: { meaning: speaks },
    attempt: ({ home, workspace }) => {
      const folder = path.join(home, 'hooks', 'home')
      fs.renameSync(folder, `${folder}.moved`)
      fs.symlinkSync(workspace, folder)
      return open('hooks have a folder of the workspace as their home')
    },
  },
  {
    name: 'program.usercustomize',
    title: 'plant usercustomize.py where Python would look',
    needs: ['guard'],
    attempt: (target) => {
      const folders = [target.workspace, path.dirname(target.workspace)].flatMap((folder) =>
        pythons.map((python) => path.join(folder, '.local', 'lib', python, 'site-packages')),
      )
      return with_(
        target,
        Object.fromEntries(
          folders.flatMap((folder) =>
            ['usercustomize.py', 'sitecustomize.py', 'evil.pth'].map((name) => [
              path.join(folder, name),
              evilPython,
            ]),
          ),
        ),
        async () => judged(await fire(target, harmful(guardOf(target)))),
      )
    },
  },
  {
    name: 'program.modules',
    title: 'plant Python’s modules in the workspace',
    needs: ['guard'],
    attempt: (target) =>
      with_(
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
        async () => judged(await fire(target, harmful(guardOf(target)))),
      ),
  },
  {
    name: 'program.dotenv',
    title: 'leave settings in the workspace for the next start (.env, .npmrc)',
    counts: 'at start',
    attempt: ({ workspace }) => {
      for (const name of ['.env', '.npmrc', '.nvmrc', 'package.json', '.node_repl_history'])
        fs.writeFileSync(
          path.join(workspace, name),
          name === 'package.json'
            ? '{"type":"commonjs"}'
            : 'STARCHILD_SHELL_HOOKS=0\nHOOKGATE_OWNERS=telegram:666\nnode-options=--inspect\nNODE_OPTIONS=--inspect\n',
        )
      return done('they were left')
    },
  },
  {
    name: 'program.git',
    title: 'let .git/config run a program when a hook asks git',
    needs: ['linux', 'guard'],
    timeoutMs: 10_000,
    attempt: (target) => {
      const { workspace } = target
      const told = path.join(workspace, `.${target.mark}`)
      const program = path.join(workspace, '.git', 'evil.sh')
      return with_(
        target,
        {
          [path.join(workspace, '.git', 'config')]:
            `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${program}\n\thooksPath = ${workspace}/.git\n\tpager = ${program}\n[diff]\n\texternal = ${program}\n`,
          [path.join(workspace, '.git', 'HEAD')]: 'ref: refs/heads/main\n',
          [path.join(workspace, '.git', 'objects', 'x')]: '',
          [path.join(workspace, '.git', 'refs', 'x')]: '',
          [program]: ancestry(told),
        },
        async () => {
          const verdict = await fire(target, harmful(guardOf(target), ' GIT'))
          const ran = fs.existsSync(told) ? fs.readFileSync(told, 'utf8') : ''
          fs.rmSync(told, { force: true })
          return /hooks\/host\/process/.test(ran)
            ? open('its program ran under the hook host')
            : judged(verdict)
        },
      )
    },
  },
  {
    name: 'tree.source',
    title: 'change hookgate’s own program',
    withoutSeparation: { meaning: starts, varies: true },
    attempt: ({ tree, cli }) =>
      mayChange(
        [
          ...cli.slice(1),
          path.dirname(cli[1] ?? ''),
          path.join(tree, 'package.json'),
          path.join(tree, 'node_modules'),
          path.join(tree, 'node_modules', 'grammy', 'package.json'),
        ].filter((file) => fs.existsSync(file)),
      ),
  },
  {
    name: 'tree.node',
    title: 'change the Node that runs hookgate',
    withoutSeparation: { meaning: starts, varies: true },
    attempt: ({ cli }) => mayChange([cli[0] ?? '', path.dirname(cli[0] ?? '')]),
  },
  {
    name: 'start.profile',
    title: 'set NODE_OPTIONS or STARCHILD_SHELL_HOOKS in a file that your shell reads',
    withoutSeparation: { meaning: starts },
    attempt: ({ userHome, mark }) => mayReplaceIn(userHome, mark),
  },
]
