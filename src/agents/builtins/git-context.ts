import { inRepository, type Git } from './git.ts'

const maxShownBytes = 4 * 1024

/** Without these flags a diff would run programs that a repository names. */
const diffFlags = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=all',
  '--submodule=short',
]

const shown = async (git: Git, cwd: string, title: string, args: readonly string[]): Promise<string> => {
  const output = await inRepository(git, cwd, args, maxShownBytes)
  if (output === undefined || output.text === '') return ''
  return `${title}\n${output.text}${output.isCut ? `\n[… cut after ${maxShownBytes} bytes]` : ''}`
}

export const gitStatus = (git: Git, cwd: string): Promise<string> =>
  shown(git, cwd, 'Git status:', ['status', '--short', '--branch', '--ignore-submodules=all', '--no-renames'])

export const gitDiff = (git: Git, cwd: string, isFull: boolean): Promise<string> =>
  shown(git, cwd, isFull ? 'Git diff:' : 'Git diff, in numbers:', [
    'diff',
    ...(isFull ? ['--patch'] : ['--stat']),
    ...diffFlags,
  ])

export const recentCommits = (git: Git, cwd: string, count: number): Promise<string> =>
  shown(git, cwd, 'Recent commits:', [
    'log',
    `--max-count=${count}`,
    '--format=tformat:%h %s',
    '--no-show-signature',
    '--no-decorate',
    '--no-patch',
    '--no-mailmap',
    ...diffFlags,
  ])

export const isInRepository = async (git: Git, cwd: string): Promise<boolean> =>
  (await inRepository(git, cwd, ['rev-parse', '--show-prefix'], 1000)) !== undefined
