import { fixed, prose } from '../model/chat/prose.ts'
import type { Finding } from './check.ts'

/** The first version that knows all by which an agent's repository is kept from starting programs in hooks. */
const oldest = [2, 36] as const

/** `said`: what `git --version` printed where hooks run; undefined where they have no git. */
export const gitFindings = (said: string | undefined): readonly Finding[] => {
  const [version, major, minor] = /\b(\d{1,4})\.(\d{1,4})(?:\.\d{1,6})*/.exec(said ?? '') ?? []
  if (version === undefined) return []
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1])
  if (!isOld) return []
  const why = fixed(
    'what a repository names could start programs in hooks. Install git 2.36 or newer for the whole system.',
  )
  return [{ level: 'warn', text: prose`The git of hooks is ${version}: ${why}` }]
}
