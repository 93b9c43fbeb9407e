import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolders } from './packages.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test.each(['.', ...packageFolders])('the lock of %s names no registry', (folder) => {
  expect(read(`${folder}/package-lock.json`)).not.toContain('"resolved"')
})

test.each(packageFolders)('npm install brings nothing of what %s has in a lock of its own', (folder) => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    read(`${folder}/package.json`),
  )
  const { packages }: { packages: Record<string, unknown> } = JSON.parse(read('package-lock.json'))
  expect(Object.keys(dependencies).length).toBeGreaterThan(0)
  expect(Object.keys(dependencies).filter((name) => `node_modules/${name}` in packages)).toEqual([])
})
