import path from 'node:path'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { SealedFile } from '../../core/model/approval/canonical.ts'
import { noCode, type ScriptCode } from './code/code-finds.ts'
import { codeIn } from './code/script-code.ts'
import type { Inside } from './inside.ts'
import { lacksOf, readText, usesOf, type AvailableNeeds } from './needs.ts'
import { shownName } from '../../core/model/approval/names.ts'
import type { ProgramContext, ProgramPlan } from './program.ts'
import { withoutHeredocs } from './shell/heredocs.ts'
import { shellFault } from '../../core/model/shell/syntax.ts'
import { foldersOf } from './tool.ts'
import { findCode } from './watched.ts'

/** The code that the entry's text for a shell uses. */
export const codeOfText = ({ shell, command, origin }: Entry, workspace: string): ScriptCode =>
  shell === undefined
    ? noCode
    : codeIn(command, 'shell', { project: workspace, origin: path.dirname(origin) }, [])

/** The watched files that the entry's text runs as scripts. Others are only named in it. */
export const scriptsRun = (
  code: ScriptCode,
  watched: readonly string[],
  context: ProgramContext & { readonly cwd: string },
): readonly string[] => {
  const { watched: parts, runs } = findCode([code], context)
  return watched.filter(
    (name) =>
      parts.includes(name) ||
      runs.includes(name) ||
      code.beside.some((end) => `/${name}`.endsWith(`/${end}`)),
  )
}

/** The things that a hook can use: the PATH, its variables, the files sealed with it, and its interpreter. */
export const foundBy = (
  entry: Entry,
  sealed: readonly SealedFile[],
  program: ProgramPlan,
  context: ProgramContext,
): AvailableNeeds => {
  const { interpreter = '' } = program
  const names = sealed.map((file) => file.path)
  return {
    folders: foldersOf(context.path),
    variables: new Set([...Object.keys(entry.env), ...(context.variables?.(entry) ?? [])]),
    isSealed: (name) => {
      const inner = name.replace(/^(?:~|\$HOME|\$\{HOME\})\//, '')
      const isIt = (file: string): boolean => `/${file}`.endsWith(`/${inner}`) || file.includes(`${inner}/`)
      return names.some((file) => path.parse(file).name === inner || isIt(file))
    },
    ...(/^python[\d.]*$/.test(path.basename(interpreter)) ? { python: interpreter } : {}),
  }
}

/** What to propose in the place of a script that asks a model through Starchild's own module. */
const starchildWords = ({ event }: Entry): string =>
  'It imports "core.http_client", which only Starchild has, so it fails at each event. ' +
  (event === 'pre_llm_call'
    ? 'No hook can ask a model at pre_llm_call.'
    : `This entry asks a model here: {event: ${event}, type: llm, prompt: "…"}. Its prompt says what to judge.`)

/** What to say of a text that its shell cannot read. */
const faultWords = (whose: string, fault: string | undefined): readonly string[] =>
  fault === undefined
    ? []
    : [`${whose} has a syntax error: ${fault}. So it fails at each event, and a failure can block the step.`]

/** Remarks about missing needs of a hook's texts, and the things that they use. */
export const needsOfHook = (
  entry: Entry,
  command: ScriptCode,
  files: readonly (SealedFile & Inside)[],
  found: AvailableNeeds,
) => {
  const texts = [
    ...(entry.shell === undefined ? [] : [readText(withoutHeredocs(entry.command), 'shell', command)]),
    ...files.flatMap(({ text }) => (text === undefined ? [] : [text])),
  ]
  const isStarchild = files.some(({ asksStarchild }) => asksStarchild === true)
  const strange = isStarchild && !found.isSealed('core/http_client.py') ? [starchildWords(entry)] : []
  const faults = [
    ...faultWords('Its text', entry.shell && shellFault(entry.command, entry.shell)),
    ...files.flatMap(({ path: name, fault }) => faultWords(shownName(name), fault)),
  ]
  return { lacks: [...faults, ...strange, ...lacksOf(texts, found)], uses: usesOf(texts) }
}
