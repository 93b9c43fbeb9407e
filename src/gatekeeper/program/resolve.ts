import path from 'node:path'
import type { Entry } from '../../model/hooks/entry.ts'
import { conventionOf, createBelonging } from './belonging.ts'
import { sourceName } from './names.ts'
import { nativeProgram } from './shell/native-words.ts'
import { fail, type Outcome, type ProgramPlaces, type ProgramPlan } from './program.ts'
import { shellProgram } from './shell/shell-text.ts'

const homeFix = 'Write the path relative to the workspace, or in full.'

/** What answers for a hook that is no program, and cannot be sealed. */
const answering = {
  http: ['what answers at the URL is not sealed'],
  llm: ['what the model answers is not sealed; the prompt is'],
  builtin: [],
} as const

/** With the files that belong to its program, where its system has a folder for them. */
const withSiblings = (
  program: ProgramPlan,
  { dialect, root }: Entry,
  { workspace }: ProgramPlaces,
  belonging: ReturnType<typeof createBelonging>,
): ProgramPlan => {
  const named = [...program.sources, ...(program.folders ?? [])].map((name) => path.resolve(workspace, name))
  const folders = new Set([
    ...(root === undefined ? [] : [path.resolve(workspace, root)]),
    ...(dialect === undefined ? [] : named.flatMap((file) => conventionOf(`${file}/`) ?? [])),
  ])
  if (folders.size === 0) return program
  const found = [...folders].map(belonging)
  const names = found.flatMap((one) => one.files.map((file) => sourceName(workspace, file)))
  return {
    ...program,
    siblings: [...new Set(names)].filter((name) => !program.sources.includes(name)),
    unsealed: [...new Set([...program.unsealed, ...found.flatMap(({ left }) => left)])],
  }
}

/** Finds what `entry` would run. Nothing is read but names; no shell reads words, and text for a shell stays text. */
export const resolveProgram = (entry: Entry, places: ProgramPlaces): Outcome<ProgramPlan> => {
  const { workspace, person } = places
  const tilde = entry.files.find((word) => word === '~' || (word.startsWith('~/') && person === undefined))
  if (tilde !== undefined) return fail('home', `Expected a file, got "${tilde}".`, homeFix)
  const nul = entry.files.find((file) => file === '' || file.includes('\0'))
  if (nul !== undefined)
    return fail(
      'files',
      `Expected every word of "files" to be a path, got ${JSON.stringify(nul)}.`,
      'Remove it.',
    )
  const listed = [
    ...new Set(
      entry.files.map((file) =>
        sourceName(
          workspace,
          path.resolve(
            workspace,
            file.replace(/^~(?=\/)/, () => person ?? '~'),
          ),
        ),
      ),
    ),
  ]
  switch (entry.type) {
    case 'command':
    case 'process': {
      const belonging = createBelonging(places.workspace, places.recent)
      const program =
        entry.shell === undefined
          ? nativeProgram(entry, listed, places)
          : shellProgram(entry, entry.shell, listed, places, belonging)
      return 'problem' in program ? program : withSiblings(program, entry, places, belonging)
    }
    case 'http':
    case 'builtin':
    case 'llm':
      return {
        words: [],
        sources: listed,
        watched: [],
        absent: [],
        unsealed: answering[entry.type],
        hookDir: '.',
      }
  }
}
