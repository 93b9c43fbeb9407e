import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './first-start.ts'

/** The commit that `dist` was built from, in brackets. Empty: it is not known. */
export const commit = (): string => {
  try {
    return ` (${readFileSync(join(packageRoot(), 'dist', 'commit'), 'latin1').trim()})`
  } catch {
    return ''
  }
}

/** The version in package.json. */
export const version = (): string => {
  const { version: written }: { version: string } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  )
  return written
}
