import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
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

/**
 * From now on Node takes the code of this version as it compiled it in an earlier run, which saves a fifth of
 * a start. What lies in that folder runs in the gate, so it has to be the gate's own. The first start has
 * none yet and does without.
 */
export const useCompiled = (home: string): void => {
  const [all, current] = [join(home, 'compiled'), `${version()}${commit()} ${process.version}`]
  try {
    if (statSync(home).uid !== process.getuid?.()) return
    mkdirSync(all, { recursive: true, mode: 0o700 })
    for (const old of readdirSync(all).filter((name) => name !== current))
      rmSync(join(all, old), { recursive: true, force: true })
    enableCompileCache(join(all, current))
  } catch {
    // A folder that is not there or cannot be written costs time and nothing else.
  }
}
