import path from 'node:path'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { conventionOf, createFolderFiles } from './belonging.ts'
import { sourceName } from '../../core/model/approval/names.ts'
import { nativeProgram } from './shell/native-words.ts'
import { fail, type Outcome, type ProgramContext, type ProgramPlan } from './program.ts'
import { shellProgram } from './shell/shell-text.ts'

const homeFix = 'Write the path relative to the workspace, or in full.'

/** Sentences about the part of a hook without a program that cannot be sealed. */
const answering = {
  http: ['the server at the URL is not sealed'],
  llm: ['the answers of the model are not sealed; the prompt is sealed'],
  builtin: [],
} as const

/** Adds the files that belong to the program, where its hook system has a folder for them. */
const withSiblings = (
  program: ProgramPlan,
  { dialect, root }: Entry,
  { workspace }: ProgramContext,
  folderFiles: ReturnType<typeof createFolderFiles>,
): ProgramPlan => {
  const named = [...program.sources, ...(program.folders ?? [])].map((name) => path.resolve(workspace, name))
  const folders = new Set([
    ...(root === undefined ? [] : [path.resolve(workspace, root)]),
    ...(dialect === undefined ? [] : named.flatMap((file) => conventionOf(`${file}/`) ?? [])),
  ])
  if (folders.size === 0) return program
  const found = [...folders].map(folderFiles)
  const names = found.flatMap((one) => one.files.map((file) => sourceName(workspace, file)))
  return {
    ...program,
    siblings: [...new Set(names)].filter((name) => !program.sources.includes(name)),
    unsealed: [...new Set([...program.unsealed, ...found.flatMap(({ omissions }) => omissions)])],
  }
}

/** Finds what `entry` would run. Only names are read. No shell runs, and text for a shell stays text. */
export const resolveProgram = (entry: Entry, context: ProgramContext): Outcome<ProgramPlan> => {
  const { workspace, person } = context
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
      const folderFiles = createFolderFiles(context.workspace, context.recent)
      const program =
        entry.shell === undefined
          ? nativeProgram(entry, listed, context)
          : shellProgram(entry, entry.shell, listed, context, folderFiles)
      return 'problem' in program ? program : withSiblings(program, entry, context, folderFiles)
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
