import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>
}
const text = readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8')
const release: Workflow = parse(text)

// npm answers E422 otherwise, at the last step of a release. A fork publishes from another repository.
it('a release names its repository in the package before it publishes with provenance', () => {
  const runs = release.jobs['npm']?.steps.map(({ run = '' }) => run) ?? []
  const at = (words: string): number => runs.findIndex((run) => run.includes(words))
  expect(at('npm publish --provenance')).toBeGreaterThan(0)
  expect(at('npm pkg set')).toBeGreaterThan(0)
  expect(at('npm pkg set')).toBeLessThan(at('npm pack'))
  expect(at('npm pkg set')).toBeLessThan(at('npm publish'))
  expect(runs[at('npm pkg set')]).toContain('repository.url=git+https://github.com/$GITHUB_REPOSITORY.git')
})

// A registry of images refuses "Acme/Gate".
it('the image is named after the repository in small letters', () => {
  expect(text).toContain('image=ghcr.io/${GITHUB_REPOSITORY,,}')
  expect(text.match(/ghcr\.io\//g)).toHaveLength(1)
})
