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
import { messageOf } from '../../../model/gate/problem.ts'
import { cleanConfig } from './git-config.ts'
import { hasGit, toolsIn, writeTools, type GitTools } from './git-wrapper.ts'
import { findDotGit, readStart, repositoryOf, stampOf, type Repository } from './git-repository.ts'

/** Makes the variables by which git works in a folder, and the folder that they name. Never throws. */
export interface GitWorld {
  /** `path`: what the hook has for PATH; before it comes what decides by the folder that git is called in. */
  env(cwd: string, path?: string): Readonly<Record<string, string>>
  /** Takes away what was made, where nobody else keeps it. */
  end(): void
}

const maxConfigBytes = 1024 * 1024
/** The agent can make as many repositories as it likes. */
const maxRepositories = 32

/**
 * True for every git of a hook. A repository's files can name programs, and the agent writes them; so git is
 * given one repository alone, and every other one fails: one that git finds by itself by the check of its
 * owner, which is said to be another; one that it is told of, or enters as a submodule, by the value that it
 * cannot read. See `guard`.
 */
const always = {
  GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // Not `ext`, which is a program, nor `file`, which starts a git of its own in that repository.
  GIT_ALLOW_PROTOCOL: 'http:https:ssh:git',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
} as const

/** Said by git in any other repository. */
const refusal = 'here git works in the repository of the hook’s own folder only'

/**
 * Settings that stand above every file and that git hands on to what it starts in submodules: one that it
 * cannot read, and its cure, for repositories in the hooks' own folder alone. Nobody else can put one there.
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

/** That these exist says something: no link may be there that leads to nothing. */
const passing = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'ORIG_HEAD', 'FETCH_HEAD']
/** What work trees share, as far as it names no programs: no hooks, no steps of a rebase. */
const shared = ['objects', 'packed-refs', 'shallow', 'info', 'reftable']

/** So many links does git follow to the file that it is going to lock. */
const followed = 5

/** More than any folder is deep. */
const toRoot = '/..'.repeat(64)

/**
 * Makes HEAD and index of a work tree, to read; `refs` is there. A link is no HEAD for git unless it begins
 * with `refs/`. What would lock one of the two finds a folder in the way: half of such a change would go to
 * the wrong place.
 */
const linkWorkTree = (folder: string, gitDir: string): void => {
  symlinkSync(`refs${toRoot}${join(gitDir, 'HEAD')}`, join(folder, 'HEAD'))
  const steps = ['index', ...Array.from({ length: followed }, (_, index) => `index-${index + 1}`)]
  steps.forEach((step, index) => symlinkSync(steps[index + 1] ?? join(gitDir, 'index'), join(folder, step)))
  for (const name of ['HEAD', ...steps]) mkdirSync(join(folder, `${name}.lock`))
}

/**
 * The folder for GIT_DIR, in one that is still empty. A work tree beside others gets its own below, as git
 * has it.
 */
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

/** Where all of it lies: `above` is what the agent cannot write. */
interface Own {
  readonly above: string
  readonly folder: string
  /** What the gate made for all repositories, or, where no gate did, what is made here. */
  readonly tools: GitTools
  readonly base: Readonly<Record<string, string>>
}

/** What is there for one `.git`. */
interface GitPlace {
  readonly variables: Readonly<Record<string, string>>
  /** What it was made from, and the file that was made. */
  readonly files: readonly string[]
  readonly stamps: string
}

const stampsOf = (files: readonly string[]): string => files.map(stampOf).join(' ')

/**
 * `home`: the HOME of hooks, in which it stays; absent: a folder of its own, which `end` removes. `prepared`: the folder
 * of `prepareGit`; absent: what stands there is made beside the rest.
 */
export const createGitWorld = (home?: string, prepared?: string): GitWorld => {
  let own: Own | undefined
  let hasTold = false
  /** By the path of `.git`. */
  const places = new Map<string, GitPlace>()

  const open = (): Own => {
    const above = realpathSync(home ?? mkdtempSync(join(tmpdir(), 'hookgate-')))
    // What git says of a lock and of its own folder shows this name.
    const folder = join(above, '.hookgate', 'git-is-only-read-in-hooks')
    const tools = toolsIn(prepared ?? folder)
    if (prepared === undefined) writeTools(above, tools)
    own = { above, folder, tools, base: { ...always, ...guard(folder, tools.cure) } }
    return own
  }

  const makeRoot = (root: string, repository: Repository, { folder }: Own): void => {
    if (stampOf(join(root, 'config')) !== '') return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Those of others before this one are used again, as far as that goes.
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

  const make = (dotGit: string, where: Own): GitPlace | undefined => {
    const repository = repositoryOf(dotGit)
    if (repository === undefined) return undefined
    const { workTree, gitDir, commonDir } = repository
    const { above, folder } = where
    // What hooks keep for themselves is told to nobody by a `.git` that leads there.
    if ([gitDir, commonDir].some((path) => realpathSync(path).startsWith(`${above}/`))) return undefined
    const key = createHash('sha256').update([workTree, gitDir, commonDir].join('\0')).digest('hex')
    const root = join(folder, key.slice(0, 16))
    const read = [...new Set([dotGit, gitDir, join(commonDir, 'config'), join(workTree, '.gitmodules')])]
    makeRoot(root, repository, where)
    // Before it is read: what changes meanwhile is read again.
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

  const placeOf = (dotGit: string, where: Own): GitPlace | undefined => {
    const known = places.get(dotGit)
    if (known !== undefined && stampsOf(known.files) === known.stamps) return known
    const place = make(dotGit, where)
    if (places.size >= maxRepositories) places.clear()
    if (place === undefined) places.delete(dotGit)
    else places.set(dotGit, place)
    return place
  }

  return {
    env: (cwd, path) => {
      try {
        const where = own ?? open()
        const dotGit = findDotGit(cwd)
        const place = dotGit === undefined ? undefined : placeOf(dotGit, where)
        const wrapped = path === undefined || !hasGit(path) ? {} : { PATH: `${where.tools.bin}:${path}` }
        return { ...where.base, ...wrapped, ...place?.variables }
      } catch (error) {
        // Without that folder git finds no repository that it would work in.
        if (!hasTold)
          process.stderr.write(
            `Expected room for what git needs in hooks, got "${messageOf(error)}"; git fails there.\n`,
          )
        hasTold = true
        return { ...always, ...own?.base }
      }
    },
    end: () => {
      if (home === undefined && own !== undefined) rmSync(own.above, { recursive: true, force: true })
      own = undefined
      places.clear()
    },
  }
}
