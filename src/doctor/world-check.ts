import { placesLine, type HookWorld } from '../model/hooks/hook-world.ts'
import { fixed } from '../model/chat/prose.ts'
import type { Finding } from './check.ts'

const maxNamed = 5

/** Lists the folders that hooks write to, and the folders of the person's PATH that hooks do not get. */
export const worldFindings = (
  world: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir' | 'leftOut'>,
): readonly Finding[] => {
  const { leftOut } = world
  const some = Map.groupBy(leftOut.slice(0, maxNamed), ({ why }) => why)
  const named = [...some]
    .map(([why, folders]) => `${folders.map(({ folder }) => folder).join(', ')} (${why})`)
    .join('; ')
  const more = leftOut.length > maxNamed ? `, and ${leftOut.length - maxNamed} more` : ''
  return [
    { level: 'ok', text: fixed(placesLine(world)) },
    ...(leftOut.length === 0
      ? []
      : [{ level: 'ok' as const, text: fixed(`Hooks find no programs in ${named}${more}.`) }]),
  ]
}
