import { readFileSync } from 'node:fs'

/** A user of this machine. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  /** All groups of the user, the primary group first. */
  readonly groups: readonly number[]
}

const maxId = 2 ** 32 - 2
const idOf = (text = ''): number | undefined =>
  /^\d{1,10}$/.test(text) && Number(text) <= maxId ? Number(text) : undefined

const linesOf = (file: string): readonly (readonly string[])[] => {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}

/**
 * Finds a user by name in the system's files. Returns undefined if there is none. The first matching line
 * counts, as for the system.
 */
export const findAccount = (
  name: string,
  { passwd, group } = { passwd: '/etc/passwd', group: '/etc/group' },
): Account | undefined => {
  const line = linesOf(passwd).find(([first]) => first === name)
  const [uid, gid] = [idOf(line?.[2]), idOf(line?.[3])]
  if (line === undefined || uid === undefined || gid === undefined) return undefined
  const more = linesOf(group).flatMap(([, , id, members = '']) => {
    const known = idOf(id)
    return known !== undefined && known !== gid && members.split(',').includes(name) ? [known] : []
  })
  return { name, uid, gid, home: line[5] ?? '', groups: [gid, ...more] }
}
