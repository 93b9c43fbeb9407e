import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const plain = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}

/** git as anybody runs it, with nothing switched off. */
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env: plain, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/**
 * The files of a repository with one commit of one file, by their paths. git makes it once; each test gets a
 * copy.
 */
let first: ReadonlyMap<string, Buffer> | undefined
const makeFirst = (): ReadonlyMap<string, Buffer> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-repository-'))
  git(folder, 'init', '--quiet', '--initial-branch=main', '--template=')
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message=first')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  const contents = new Map(files.map((path) => [path, readFileSync(join(folder, path))]))
  rmSync(folder, { recursive: true })
  return contents
}

/** A repository with one commit of one file. */
export const repository = (folder: string): void => {
  first ??= makeFirst()
  for (const empty of ['hooks', 'info', 'objects/info', 'refs/tags'])
    mkdirSync(join(folder, '.git', empty), { recursive: true })
  for (const [path, content] of first) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Writes settings as `git config` does, all at once. */
const configure = (folder: string, settings: Readonly<Record<string, string>>): void => {
  const lines = Object.entries(settings).map(([key, value]) => {
    const [, section, within, name] = /^(\w+)(?:\.(.+))?\.(\w+)$/.exec(key) ?? []
    return `[${section}${within === undefined ? '' : ` "${within}"`}]\n\t${name} = "${value.replaceAll(/["\\]/g, '\\$&')}"\n`
  })
  appendFileSync(join(folder, '.git', 'config'), lines.join(''))
}

/** A repository in which everything that can name a program names one; each leaves a file in `marks`. */
export const hostileRepository = (folder: string, marks: string): void => {
  mkdirSync(marks, { recursive: true })
  repository(folder)
  const mark = (name: string, then = 'cat'): string => `sh -c 'touch ${join(marks, name)}; ${then}'`
  writeFileSync(join(folder, 'b.bin'), 'one\n')
  writeFileSync(join(folder, 'c.flt'), 'one\n')
  writeFileSync(join(folder, 'd.prc'), 'one\n')
  writeFileSync(
    join(folder, '.gitattributes'),
    '*.bin diff=evil\n*.flt filter=evil.name\n*.prc filter=other\n',
  )
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message=second')
  // A commit that claims to be signed: to show it may mean to check it.
  const body = git(folder, 'cat-file', 'commit', 'HEAD').replace(
    '\n\n',
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
  )
  writeFileSync(join(folder, '.git', 'signed'), body)
  git(
    folder,
    'update-ref',
    'HEAD',
    git(folder, 'hash-object', '-t', 'commit', '-w', join(folder, '.git', 'signed')).trim(),
  )

  const inner = join(folder, 'inner')
  repository(inner)
  writeFileSync(
    join(folder, '.gitmodules'),
    '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n',
  )
  git(folder, 'add', 'inner', '.gitmodules')
  git(folder, 'commit', '--quiet', '--message=third')
  configure(inner, {
    'core.fsmonitor': mark('inner-fsmonitor', 'true'),
    'filter.inner.clean': mark('inner-clean'),
  })
  writeFileSync(join(inner, '.gitattributes'), '* filter=inner\n')

  const hooks = join(folder, '.git', 'evil-hooks')
  mkdirSync(hooks)
  writeFileSync(join(hooks, 'post-index-change'), `#!/bin/sh\ntouch ${join(marks, 'hook')}\n`, {
    mode: 0o755,
  })
  const gpg = join(folder, '.git', 'evil-gpg')
  writeFileSync(gpg, `#!/bin/sh\ntouch ${join(marks, 'gpg')}\nexit 1\n`, { mode: 0o755 })
  const settings: Readonly<Record<string, string>> = {
    'core.fsmonitor': mark('fsmonitor', 'true'),
    'core.hooksPath': hooks,
    'core.pager': mark('pager'),
    'pager.status': mark('pager'),
    'pager.diff': mark('pager'),
    'pager.log': mark('pager'),
    'diff.external': mark('external', 'true'),
    'diff.evil.textconv': mark('textconv', 'true'),
    'diff.evil.command': mark('command', 'true'),
    'filter.evil.name.clean': mark('clean'),
    'filter.evil.name.smudge': mark('smudge'),
    'filter.evil.name.required': 'true',
    'filter.other.process': mark('process', 'true'),
    'core.sshCommand': mark('ssh', 'false'),
    'alias.status': `!${mark('alias')}`,
    'alias.log': `!${mark('alias')}`,
    'gpg.program': gpg,
    'log.showSignature': 'true',
    'status.submoduleSummary': 'true',
    'diff.submodule': 'diff',
    'diff.ignoreSubmodules': 'none',
    'protocol.ext.allow': 'always',
  }
  configure(folder, settings)
  // Changed after all else, so that git has to look at the content.
  for (const name of ['a.txt', 'b.bin', 'c.flt', 'd.prc', 'inner/a.txt'])
    writeFileSync(join(folder, name), 'two\n')
}

/** A repository whose diff needs an object that only a remote has, and a remote that is a program. */
export const hollowRepository = (folder: string, marks: string): void => {
  mkdirSync(marks, { recursive: true })
  repository(folder)
  const blob = git(folder, 'rev-parse', 'HEAD:a.txt').trim()
  writeFileSync(join(folder, 'a.txt'), 'two\n')
  execFileSync('rm', ['-f', join(folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2))])
  const settings: Readonly<Record<string, string>> = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.partialCloneFilter': 'blob:none',
    'remote.origin.url': `ext::touch ${join(marks, 'remote')}`,
    'protocol.ext.allow': 'always',
    'protocol.allow': 'always',
  }
  configure(folder, settings)
}

export const markNames = (marks: string): readonly string[] => readdirSync(marks).toSorted()
