import { expect, test } from 'vitest'
import { gitFindings } from '../../src/doctor/git-check.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'

test.each([
  'git version 2.36.0\n',
  'git version 2.39.5 (Apple Git-154)\n',
  'git version 3.0.1\n',
  'git version 2.45.1.windows.1',
  '',
  undefined,
])('git that says %j gives nothing to say', (said) => {
  expect(gitFindings(said)).toEqual([])
})

test.each(['git version 2.35.8\n', 'git version 2.9.5\n', 'git version 1.9.1\n'])(
  'git that says %j is named as too old, with what to do',
  (said) => {
    const [{ level, text }] = gitFindings(said) as [ReturnType<typeof gitFindings>[number]]
    expect(level).toBe('warn')
    const version = said.slice('git version '.length).trim()
    expect(proseText(text)).toContain(`Hooks use git ${version}: `)
    expect(proseText(text)).toContain('Install git 2.36 or newer for the whole system.')
  },
)
