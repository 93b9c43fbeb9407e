import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './first-start.ts'

/** The version in package.json. */
export const version = (): string => {
  const { version: written }: { version: string } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  )
  return written
}
