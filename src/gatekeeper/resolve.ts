import path from 'node:path'
import type { Entry } from '../model/entry.ts'
import { sourceName } from './names.ts'
import { nativeProgram } from './native-words.ts'
import { fail, type Outcome, type Places, type Program } from './program.ts'
import { shellProgram } from './shell-text.ts'

const homeFix = 'Write the path relative to the workspace, or in full; "~" is not expanded.'

/** What answers for a hook that is no program, and cannot be sealed. */
const answering = { http: ['what answers at the URL is not sealed'], llm: ['what the model answers is not sealed; the prompt is'], builtin: [] } as const

/** Finds what `entry` would run. Nothing is read but names; no shell reads words, and text for a shell stays text. */
export const resolveProgram = (entry: Entry, places: Places): Outcome<Program> => {
  const tilde = entry.files.find((word) => word === '~' || word.startsWith('~/'))
  if (tilde !== undefined) return fail('home', `Expected a path from the workspace, got "${tilde}".`, homeFix)
  const nul = entry.files.find((file) => file === '' || file.includes('\0'))
  if (nul !== undefined) return fail('files', `Expected every word of "files" to be a path, got ${JSON.stringify(nul)}.`, 'Remove it.')
  const listed = [...new Set(entry.files.map((file) => sourceName(places.workspace, path.resolve(places.workspace, file))))]
  switch (entry.type) {
    case 'command':
    case 'process':
      return entry.shell === undefined ? nativeProgram(entry, listed, places) : shellProgram(entry, entry.shell, listed, places)
    case 'http':
    case 'builtin':
    case 'llm':
      return { words: [], sources: listed, watched: [], absent: [], unsealed: answering[entry.type], hookDir: '.' }
  }
}
