import { DIALECTS } from '../../../src/dialects/dialects.ts'
import type { ForeignPorts } from '../../../src/proposals/sources/foreign/foreign.ts'
import type { Source } from '../../../src/proposals/sources/source.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { formatProblem } from '../../../src/shared/base/problem.ts'
import { measureProcessor } from '../../processor-time.ts'

export const knowledge = { dialects: DIALECTS }

/** Files by place, for readers; nothing else is there. */
export const filePorts = (files: Readonly<Record<string, string>>): ForeignPorts => ({
  ...knowledge,
  read: (place) => {
    const text = Object.hasOwn(files, place) ? files[place] : undefined
    return text === undefined ? { why: 'missing' } : { text }
  },
  list: () => ({ why: 'missing' }),
  isExecutable: () => false,
})

export const entriesOf = ({ proposed }: Source): readonly Entry[] =>
  proposed.flatMap((place) => (place.kind === 'entry' ? [place.entry] : []))

/** As a person reads it: each hook, or what is wrong with it and where. */
export const shownRows = ({ proposed }: Source): readonly string[] =>
  proposed.map((place) =>
    place.kind === 'entry'
      ? `${place.entry.event} ${place.entry.command}`
      : `✗ ${place.event} ${place.command} ${formatProblem(place.problem)}`,
  )

/** What was said of a hook by its place in the list. */
export const remarksOf = ({ proposed }: Source, index = 0): readonly string[] => {
  const place = proposed[index]
  return place?.kind === 'entry' ? (place.remarks ?? []) : []
}

/** What is wrong with a file of which nothing is proposed. */
export const problemOf = ({ problem, proposed }: Source): string => {
  if (proposed.length > 0) throw new Error(`Expected nothing to be proposed, got ${proposed.length} hooks.`)
  return problem === undefined ? 'no problem' : formatProblem(problem)
}

/** How long the processor works on it, in milliseconds. */
export const costOf = (work: () => unknown): number => {
  const tookMs = measureProcessor()
  work()
  return tookMs()
}
