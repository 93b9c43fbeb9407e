import { opendir } from 'node:fs/promises'
import { arch, hostname, type as osName, userInfo } from 'node:os'
import { isInRepository } from './git-context.ts'
import type { Git } from './git.ts'

const maxListed = 100
/** A folder with more names than this is not read completely. */
const maxRead = 10_000

const oneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?').slice(0, 255)

export const environmentInfo = async (git: Git, cwd: string): Promise<string> => {
  // The other lines are right even when git fails.
  const isRepository = await isInRepository(git, cwd).catch(() => false)
  return [
    'Environment:',
    `Working directory: ${oneLine(cwd)}`,
    `Git repository: ${isRepository ? 'yes' : 'no'}`,
    `Operating system: ${osName()}`,
    `Architecture: ${arch()}`,
    `Shell: ${userInfo().shell ?? 'unknown'}`,
  ].join('\n')
}

export const aboutUser = (): string => `User: ${userInfo().username}\nHost: ${hostname()}`

export const listing = async (cwd: string): Promise<string> => {
  const names: string[] = []
  let isAll = true
  for await (const entry of await opendir(cwd)) {
    if (names.length === maxRead) {
      isAll = false
      break
    }
    names.push(`${oneLine(entry.name)}${entry.isDirectory() ? '/' : ''}`)
  }
  const left = names.length - maxListed
  const rest = left <= 0 ? [] : [`[… ${isAll ? left : `more than ${left}`} further entries]`]
  return ['Directory listing:', ...names.toSorted().slice(0, maxListed), ...rest].join('\n')
}
