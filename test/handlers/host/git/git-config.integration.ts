import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cleanConfig } from '../../../../src/handlers/host/git/git-config.ts'
import { readStart } from '../../../../src/handlers/host/git/git-repository.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'hookgate-config-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

describe('a configuration', () => {
  const heard = (text: string, ...words: readonly string[]): string => {
    fs.writeFileSync(join(folder, 'config'), text)
    try {
      return execFileSync('git', ['config', '--file', join(folder, 'config'), ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      return ''
    }
  }

  test.each([
    '[user]\n\tname = Ada  # not this\n\temail=ada@example.org;nor this\n',
    '[User] NAME = "  Ada \\"the\\" first " Lovelace\n',
    '[user]\nname = Ada \\\n  Lovelace\n[remote "a b"]\n\turl = https://example.org/#x\n\turl = second\n',
    '[remote "we\\"ird\\\\"]\n\turl = x\n[branch "topic/a.b"]\n\tremote = we\n\tmerge = refs/heads/topic\n',
    '\ufeff[core]\n\tautocrlf\n\teol = crlf\n\tignoreCase = true\n[extensions]\n\tobjectFormat = sha256\n',
    '[branch.Old]\n\tremote = origin\n# comment\n; another\n[core]\tquotePath = off',
    '[remote "x"] ; with a comment\n\turl = \\\\server\\\\share\n',
  ])('is read as git reads it: %j', (text) => {
    const settings = heard(text, '--null', '--list')
      .split('\0')
      .filter((line) => line !== '')
    expect(settings.length).toBeGreaterThan(0)
    const names = (list: readonly string[]): string[] => [...list].toSorted()
    const ours = heard(cleanConfig(text, ''), '--null', '--list')
      .split('\0')
      .filter((line) => line !== '')
    expect(names(ours)).toEqual(
      expect.arrayContaining(names(settings.map((line) => (line.includes('\n') ? line : `${line}\ntrue`)))),
    )
  })

  test.each([
    '[core\n\tfsmonitor = x\n',
    '[user]\n\tname = "open\n',
    '[user]\n\tname = \\q\n',
    '[remote "x\ny"]\n\turl = z\n',
    '\u0000[user]\nname=x',
    '[user] = \n',
    'name = x\n',
    '[user]\n1name = x\n',
  ])('that git cannot read gives nothing: %j', (text) => {
    expect(cleanConfig(text, '')).toBe(cleanConfig('', ''))
  })

  test('gives no key that could name a program or a file, whatever its case, place or value', () => {
    const keys = [
      'core.fsmonitor',
      'core.hookspath',
      'core.sshcommand',
      'core.pager',
      'core.editor',
      'core.gitproxy',
      'core.worktree',
      'core.attributesfile',
      'core.askpass',
      'include.path',
      'includeif.gitdir:/.path',
      'diff.external',
      'diff.x.textconv',
      'diff.x.command',
      'filter.x.clean',
      'filter.x.smudge',
      'filter.x.process',
      'merge.x.driver',
      'gpg.program',
      'gpg.ssh.program',
      'alias.status',
      'credential.helper',
      'credential.https://x.helper',
      'sequence.editor',
      'uploadpack.packobjectshook',
      'remote.x.uploadpack',
      'remote.x.receivepack',
      'remote.x.vcs',
      'remote.x.proxy',
      'extensions.worktreeconfig',
      'extensions.partialclone',
      'submodule.x.update',
      'protocol.ext.allow',
      'trace2.eventtarget',
      'browser.x.cmd',
      'tar.x.command',
      'pager.log',
      'interactive.difffilter',
      'safe.directory',
      'core.commitgraph',
    ]
    const text = keys
      .map((key) => {
        const [section = '', ...rest] = key.split('.')
        const [name = '', ...inner] = rest.toReversed()
        return `[${section.toUpperCase()}${inner.length === 0 ? '' : ` "${inner.toReversed().join('.')}"`}]\n\t${name} = evil\n`
      })
      .join('')
    const all = heard(text, '--list', '--name-only').trim().split('\n')
    expect(all).toHaveLength(keys.length)
    expect(cleanConfig(text, '')).toBe(cleanConfig('', ''))
    expect(cleanConfig('[user]\n\tname = "a\\n[alias]\\nx = !evil"\n[core]\n\teol = "lf\\n"\n', '')).toBe(
      cleanConfig('', ''),
    )
  })

  test('never has git look into a submodule, whatever .gitmodules says', () => {
    expect(
      cleanConfig(
        '',
        '[submodule "a"]\n\tignore = none\n[submodule "b"]\n\tignore = all\n\tupdate = !evil\n',
      ),
    ).toContain('[submodule "a"]\n\tignore = "dirty"\n[submodule "b"]\n\tignore = "all"\n')
  })

  test('is read in its first part only, however long it is', () => {
    fs.writeFileSync(join(folder, 'long'), 'x'.repeat(10_000))
    expect(readStart(join(folder, 'long'), 1000)).toHaveLength(1000)
    expect(readStart(folder, 1000)).toBe('')
    const many = cleanConfig(
      Array.from({ length: 10_000 }, (_, index) => `[remote "r${index}"]\n\turl = x\n`).join('') +
        '[user]\n\tname = Ada\n',
      '',
    )
    expect(many.match(/remote/g)).toHaveLength(2000)
    expect(many).toContain('name = "Ada"')
  })
})
