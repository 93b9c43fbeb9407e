import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { doors } from './doors.ts'
import { parsers } from './parsers.ts'
import type { Target } from './target.ts'

/** Everything that an agent, a client, a stranger, a hook or a file can send, by the name of its door. */
export const targets: Readonly<Record<string, Target>> = { ...parsers, ...doors }

const folder = resolve(import.meta.dirname, '../fixtures/fuzz')

/** The known texts of a door: those in its table, and what was once found and is kept as a file. */
export const seedsOf = (name: string): readonly string[] => {
  const place = resolve(folder, name)
  const files = readdirSync(folder).includes(name) ? readdirSync(place).toSorted() : []
  return [...(targets[name]?.seeds ?? []), ...files.map((file) => readFileSync(resolve(place, file), 'utf8'))]
}
