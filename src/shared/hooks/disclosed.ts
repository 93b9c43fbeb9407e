import type { ArmedHook, Entry } from '../../core/model/hooks/entry.ts'

const maxDisclosedChars = 4000
/**
 * The text about hooks that an agent may see: the names and descriptions of the hooks that decide, as their
 * authors wrote them. An agent does not learn of a shadow, which would change what the shadow sees.
 */
export const disclosed = (
  hooks: readonly (Pick<ArmedHook, 'isShadow'> & {
    readonly entry: Pick<Entry, 'name' | 'description'>
  })[],
): string => {
  const lines = hooks.flatMap(({ isShadow, entry: { name, description } }) =>
    isShadow === true || description === undefined
      ? []
      : [`- ${name ?? 'unnamed'}: ${description}`.replaceAll(/\s+/g, ' ')],
  )
  return lines.length === 0
    ? ''
    : `Hooks are in force here:\n${[...new Set(lines)].join('\n')}`.slice(0, maxDisclosedChars)
}
