// Prints the heart of the gate: every file that can open the gate or let something out, and what these files
// import besides each other. `npm run core` ends with 1 where one of them imports a file outside of src/core,
// or where they are too many lines for one reader.
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, posix, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const heart = 'src/core/'

/** At most so many lines, comments included. */
export const maxLines = 15_000

export interface Closure {
  /** By path from the tree's root, the lines of each file. */
  readonly files: ReadonlyMap<string, number>
  /** Files outside of the heart that it imports, as `importer → imported`. There must be none. */
  readonly outside: readonly string[]
  /** The packages that it imports. */
  readonly packages: readonly string[]
}

const imports =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g

/** Follows the imports of every file of the heart, types included. */
export const closureOf = (tree = root): Closure => {
  const files = new Map<string, number>()
  const outside = new Set<string>()
  const packages = new Set<string>()
  for (const file of globSync(`${heart}**/*.ts`, { cwd: tree }).toSorted()) {
    const source = readFileSync(join(tree, file), 'utf8')
    files.set(file, source.split('\n').length - 1)
    for (const [, from, imported = from] of source.matchAll(imports)) {
      if (imported === undefined) continue
      const target = posix.join(dirname(file), imported)
      if (imported.startsWith('.')) {
        if (!target.startsWith(heart)) outside.add(`${file} → ${target}`)
      } else if (!imported.startsWith('node:') && !builtinModules.includes(imported)) packages.add(imported)
    }
  }
  return { files, outside: [...outside], packages: [...packages].toSorted() }
}

if (import.meta.main) {
  const { files, outside, packages } = closureOf()
  const folders = Map.groupBy(files, ([file]) => file.split('/').slice(2, -1).slice(0, 2).join('/'))
  const sum = (some: Iterable<readonly [string, number]>): number =>
    [...some].reduce((lines, [, more]) => lines + more, 0)
  for (const [folder, inside] of folders) {
    console.log(`${String(sum(inside)).padStart(6)}  ${heart}${folder}`)
    for (const [file, lines] of inside) console.log(`${String(lines).padStart(12)}  ${file}`)
  }
  const total = sum(files)
  console.log(`${total} lines in ${files.size} files. Packages: ${packages.join(', ')}.`)
  for (const one of outside) console.error(`✗ ${one}: expected src/core to import nothing but itself.`)
  if (total > maxLines) console.error(`✗ Expected at most ${maxLines} lines, got ${total}.`)
  if (outside.length > 0 || total > maxLines) process.exitCode = 1
}
