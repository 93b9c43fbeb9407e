import { prose } from '../core/model/chat/prose.ts'
import { warn, type Finding } from './check.ts'

/**
 * The first git version with all settings that stop an agent's repository from starting programs in hooks.
 */
const oldest = [2, 36] as const

/** `output` is the output of `git --version` where hooks run. It is undefined where hooks have no git. */
export const gitFindings = (output: string | undefined): readonly Finding[] => {
  const [version, major, minor] = /\b(\d{1,4})\.(\d{1,4})(?:\.\d{1,6})*/.exec(output ?? '') ?? []
  if (version === undefined) return []
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1])
  if (!isOld) return []
  const why = prose`with this version, a repository could start programs in hooks. Install git 2.36 or newer for the whole system.`
  return [warn(prose`Hooks use git ${version}: ${why}`)]
}
