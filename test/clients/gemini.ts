import { join } from 'node:path'

/** Gemini CLI, as the lock of this folder has it. `installPackages('test/clients')` puts it there. */
export const geminiProgram = join(import.meta.dirname, 'node_modules/@google/gemini-cli/bundle/gemini.js')
