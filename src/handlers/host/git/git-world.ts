import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { messageOf } from '../../../core/model/gate/problem.ts'
import { cleanConfig } from './git-config.ts'
import { hasGit, toolsIn, writeTools, type GitTools } from './git-wrapper.ts'
import { findDotGit, readStart, repositoryOf, stampOf, type Repository } from './git-repository.ts'

/** Makes the variables with which git works in a folder, and the files that they name. Never throws. */
export interface GitWorld {
  /**
   * `path` is the hook's PATH. The git wrapper is put before it; the wrapper chooses the repository by the
   * folder in which git is called.
   */
  env(cwd: string, path?: string): Readonly<Record<string, string>>
  /** Removes the folder that was made, unless it lies in the HOME of hooks. */
  end(): void
}

const maxConfigBytes = 1024 * 1024
/** The bound on prepared repositories: the agent can create as many as it likes. */
const maxRepositories = 32

/**
 * Variables for every git of a hook. A repository's files can name programs, and the agent writes those
 * files. So git gets exactly one repository, and every other one fails. A repository that git finds by itself
 * fails the ownership check, because its owner is said to be another user. A repository that git is told of,
 * or enters as a submodule, fails on the value that git cannot read. See `guard`.
 */
const always = {
  GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // `ext` starts a program, and `file` starts another git in that repository; both are left out.
  GIT_ALLOW_PROTOCOL: 'http:https:ssh:git',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
} as const

/** Git prints this in any other repository. */
const refusal = 'here git works in the repository of the hook’s own folder only'

/**
 * Settings that override every file and that git passes on to the processes it starts in submodules. The
 * first is a value that git cannot read. The second includes a file that repairs it, only for repositories in
 * the hooks' own folder. Nobody else can put a repository there.
 */
const guard = (folder: string, cure: string): Readonly<Record<string, string>> => ({
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.commitGraph',
  GIT_CONFIG_VALUE_0: refusal,
  GIT_CONFIG_KEY_1: `includeIf.gitdir:${folder.replaceAll(/[\\*?[\]]/g, '\\$&')}/.path`,
  GIT_CONFIG_VALUE_1: cure,
})

const link = (folder: string, from: string, names: readonly string[]): void => {
  for (const name of names) symlinkSync(join(from, name), join(folder, name))
}

/** The existence of these files has a meaning, so no link may be made whose target is missing. */
const passing = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'ORIG_HEAD', 'FETCH_HEAD']
/**
 * The entries that work trees share and that name no programs: hooks and the steps of a rebase are left out.
 */
const shared = ['objects', 'packed-refs', 'shallow', 'info', 'reftable']

/** Git follows this many links to the file that it is going to lock. */
const followed = 5

/** More levels than any folder has. */
const toRoot = '/..'.repeat(64)

/**
 * Makes HEAD and index of a work tree for reading; `refs` exists already. Git accepts a link as HEAD only
 * when its target begins with `refs/`. A folder blocks each lock file, because half of such a change would go
 * to the wrong place.
 */
const linkWorkTree = (folder: string, gitDir: string): void => {
  symlinkSync(`refs${toRoot}${join(gitDir, 'HEAD')}`, join(folder, 'HEAD'))
  const steps = ['index', ...Array.from({ length: followed }, (_, index) => `index-${index + 1}`)]
  steps.forEach((step, index) => symlinkSync(steps[index + 1] ?? join(gitDir, 'index'), join(folder, step)))
  for (const name of ['HEAD', ...steps]) mkdirSync(join(folder, `${name}.lock`))
}

/** Fills the empty folder for GIT_DIR. A work tree beside others gets its own folder below it, as in git. */
const furnish = (root: string, { gitDir, commonDir }: Repository): void => {
  mkdirSync(join(root, 'config.lock'), { recursive: true })
  link(root, commonDir, [...shared, 'refs', 'logs'])
  linkWorkTree(root, commonDir)
  if (gitDir === commonDir) return
  const own = join(root, gitDirIn(commonDir, gitDir))
  mkdirSync(join(own, 'refs'), { recursive: true })
  writeFileSync(join(own, 'commondir'), '../..\n')
  link(own, gitDir, ['logs'])
  linkWorkTree(own, gitDir)
}

const gitDirIn = (commonDir: string, gitDir: string): string =>
  gitDir === commonDir ? '.' : join('worktrees', basename(gitDir))

/** The paths of the git files. The agent cannot write to `above`. */
interface GitFolders {
  readonly above: string
  readonly folder: string
  /** The tools that the gate made for all repositories, or tools made here when no gate made any. */
  readonly tools: GitTools
  readonly base: Readonly<Record<string, string>>
}

/** The prepared repository of one `.git`. */
interface PreparedRepository {
  readonly variables: Readonly<Record<string, string>>
  /** The files that it was made from, and the file that was made. */
  readonly files: readonly string[]
  readonly stamps: string
}

const stampsOf = (files: readonly string[]): string => files.map(stampOf).join(' ')

/**
 * `home` is the HOME of hooks, where the files stay. Absent: a temporary folder, which `end` removes.
 * `prepared` is the folder of `prepareGit`. Absent: its files are made beside the others.
 */
export const createGitWorld = (home?: string, prepared?: string): GitWorld => {
  let own: GitFolders | undefined
  let hasReported = false
  /** By the path of `.git`. */
  const repositories = new Map<string, PreparedRepository>()

  const open = (): GitFolders => {
    const above = realpathSync(home ?? mkdtempSync(join(tmpdir(), 'hookgate-')))
    // Git's messages about a lock and about its own folder show this name.
    const folder = join(above, '.hookgate', 'git-is-only-read-in-hooks')
    const tools = toolsIn(prepared ?? folder)
    if (prepared === undefined) writeTools(above, tools)
    own = { above, folder, tools, base: { ...always, ...guard(folder, tools.cure) } }
    return own
  }

  const makeRoot = (root: string, repository: Repository, { folder }: GitFolders): void => {
    if (stampOf(join(root, 'config')) !== '') return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Folders of earlier processes are used again, up to the bound.
    for (const name of readdirSync(folder).slice(maxRepositories - 1))
      if (name !== 'cure' && name !== 'bin') rmSync(join(folder, name), { recursive: true, force: true })
    rmSync(root, { recursive: true, force: true })
    furnish(root, repository)
  }

  const writeConfig = (root: string, { workTree, commonDir }: Repository): void => {
    const text = cleanConfig(
      readStart(join(commonDir, 'config'), maxConfigBytes),
      readStart(join(workTree, '.gitmodules'), maxConfigBytes),
    )
    writeFileSync(join(root, 'config.new'), text)
    renameSync(join(root, 'config.new'), join(root, 'config'))
  }

  const linkPassing = (own: string, gitDir: string): void => {
    for (const name of passing) rmSync(join(own, name), { force: true })
    link(
      own,
      gitDir,
      passing.filter((name) => stampOf(join(gitDir, name)) !== ''),
    )
  }

  const make = (dotGit: string, where: GitFolders): PreparedRepository | undefined => {
    const repository = repositoryOf(dotGit)
    if (repository === undefined) return undefined
    const { workTree, gitDir, commonDir } = repository
    const { above, folder } = where
    // A `.git` that leads into the hooks' own folder is refused: it would disclose what hooks keep there.
    if ([gitDir, commonDir].some((path) => realpathSync(path).startsWith(`${above}/`))) return undefined
    const key = createHash('sha256').update([workTree, gitDir, commonDir].join('\0')).digest('hex')
    const root = join(folder, key.slice(0, 16))
    const read = [...new Set([dotGit, gitDir, join(commonDir, 'config'), join(workTree, '.gitmodules')])]
    makeRoot(root, repository, where)
    // The stamps are taken before reading, so that a change during reading causes another read.
    const before = stampsOf(read)
    writeConfig(root, repository)
    const own = join(root, gitDirIn(commonDir, gitDir))
    linkPassing(own, gitDir)
    return {
      variables: { GIT_DIR: own, GIT_WORK_TREE: workTree },
      files: [...read, join(root, 'config')],
      stamps: `${before} ${stampOf(join(root, 'config'))}`,
    }
  }

  const preparedFor = (dotGit: string, where: GitFolders): PreparedRepository | undefined => {
    const known = repositories.get(dotGit)
    if (known !== undefined && stampsOf(known.files) === known.stamps) return known
    const place = make(dotGit, where)
    if (repositories.size >= maxRepositories) repositories.clear()
    if (place === undefined) repositories.delete(dotGit)
    else repositories.set(dotGit, place)
    return place
  }

  return {
    env: (cwd, path) => {
      try {
        const where = own ?? open()
        const dotGit = findDotGit(cwd)
        const place = dotGit === undefined ? undefined : preparedFor(dotGit, where)
        const env = { ...where.base, ...place?.variables }
        return path === undefined || !hasGit(path) ? env : { ...env, PATH: `${where.tools.bin}:${path}` }
      } catch (error) {
        // Without that folder git finds no repository that it accepts.
        if (!hasReported)
          process.stderr.write(
            `Expected to write the files that git needs in hooks, got "${messageOf(error)}"; git fails in hooks until this works.\n`,
          )
        hasReported = true
        return { ...always, ...own?.base }
      }
    },
    end: () => {
      if (home === undefined && own !== undefined) rmSync(own.above, { recursive: true, force: true })
      own = undefined
      repositories.clear()
    },
  }
}
