import { createFinds, type CodeLanguage, type ScriptCode } from './code-finds.ts'
import { programCode } from './program-code.ts'
import { shellCode } from '../shell/shell-code.ts'
import type { ScriptFolders } from '../shell/shell-variables.ts'

const inHeredocs = ['python', 'node'] as const

/** Finds the code in other files that a script's text uses. Takes linear time. */
export const codeIn = (
  text: string,
  language: CodeLanguage,
  scriptFolders: ScriptFolders,
  imports: readonly string[],
): ScriptCode => {
  const finds = createFinds()
  if (language === 'shell') shellCode(text, scriptFolders, finds)
  else programCode(text, language, scriptFolders, imports, finds)
  // A here-document of a shell script can be the text of such a program.
  if (language === 'shell' && text.includes('<<')) {
    for (const other of inHeredocs)
      if (new RegExp(`\\b${other}`).test(text)) programCode(text, other, scriptFolders, undefined, finds)
  }
  return finds.all()
}
