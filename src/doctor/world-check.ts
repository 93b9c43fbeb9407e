import { placesLine, type HookWorld } from '../shared/hooks/hook-world.ts'
import { joinProse, prose, verbatim } from '../core/model/chat/prose.ts'
import { ok, type Finding } from './check.ts'
import { fixedWords } from '../shared/said/our-words.ts'

const maxNamed = 5

/** Lists the folders that hooks write to, and the folders of the person's PATH that hooks do not get. */
export const worldFindings = (
  world: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir' | 'leftOut'>,
): readonly Finding[] => {
  const { leftOut } = world
  const some = Map.groupBy(leftOut.slice(0, maxNamed), ({ why }) => why)
  const named = joinProse(
    [...some].map(
      ([why, folders]) =>
        prose`${verbatim(folders.map(({ folder }) => folder).join(', '))} (${fixedWords(why)})`,
    ),
    '; ',
  )
  const left = leftOut.length - maxNamed
  return [
    ok(placesLine(world)),
    ...(leftOut.length === 0
      ? []
      : [
          ok(
            left > 0
              ? prose`Hooks find no programs in ${named}, and ${left} more.`
              : prose`Hooks find no programs in ${named}.`,
          ),
        ]),
  ]
}
