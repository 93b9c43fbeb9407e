import type { HandlerType } from '../../../core/model/hooks/entry.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { builtinFlaw, commandFlaw, urlFlaw } from '../../entry/entry-check.ts'
import { refusedVariable } from '../../../shared/hooks/hook-world.ts'
import {
  belongsTo,
  hasTwins,
  headerName,
  headerValue,
  maxArgs,
  maxDescriptionChars,
  maxFiles,
  maxHeaders,
  maxNameChars,
  maxPromptChars,
  maxValueChars,
  variableName,
  type Option,
} from '../../entry/entry-shape.ts'
import type { ForeignHook, Remarks } from './foreign.ts'

/** The most characters of a command, which may be a whole script in a file of another system. */
const maxScriptChars = 32 * 1024
const maxUrlChars = 2000
const maxPathChars = 1000
const maxConditionChars = 500

const program = { what: 'command', maxChars: maxValueChars, flawOf: commandFlaw }
const subjects: Readonly<
  Record<
    HandlerType,
    { readonly what: string; readonly maxChars: number; flawOf(command: string): string | undefined }
  >
> = {
  command: program,
  process: program,
  http: { what: 'address', maxChars: maxUrlChars, flawOf: urlFlaw },
  builtin: { what: 'builtin', maxChars: maxValueChars, flawOf: builtinFlaw },
  llm: { what: 'prompt', maxChars: maxPromptChars, flawOf: () => undefined },
}

const subjectFlaw = (type: HandlerType, { command, shell }: ForeignHook): string | undefined => {
  const { what, maxChars, flawOf } = subjects[type]
  const max = shell === undefined ? maxChars : maxScriptChars
  if (command.trim() === '') return `it has no ${what}`
  if (command.length > max) return `its ${what} has ${command.length} characters; at most ${max} are allowed`
  if (command.includes('\0')) return `its ${what} holds a NUL`
  const flaw = shell === undefined ? flawOf(command) : undefined
  return flaw === undefined ? undefined : `of its ${what} ${got(type === 'http' ? '…' : command)}: ${flaw}`
}

const isPath = (path: string): boolean => path !== '' && path.length <= maxPathChars && !path.includes('\0')

/**
 * The reason, as a clause, why a foreign hook exceeds the bounds of an entry. It is undefined when the hook
 * fits.
 */
export const boundsFlaw = (type: HandlerType, hook: ForeignHook): string | undefined => {
  const { args = [], env = {}, files = [], headers = {}, cwd, model, root, condition = '' } = hook
  const flaw = subjectFlaw(type, hook)
  if (flaw !== undefined) return flaw
  if (args.length > maxArgs || args.some((arg) => arg.length > maxValueChars || arg.includes('\0')))
    return `it has more than ${maxArgs} arguments, or one is longer than ${maxValueChars} characters or holds a NUL`
  if (
    Object.keys(env).length > maxArgs ||
    Object.values(env).some((value) => value.length > maxValueChars || value.includes('\0'))
  )
    return `it has more than ${maxArgs} variables, or one is longer than ${maxValueChars} characters or holds a NUL`
  if (files.length > maxFiles || !files.every(isPath))
    return `it has more than ${maxFiles} files, or one is not a path`
  if (
    Object.keys(headers).length > maxHeaders ||
    Object.entries(headers).some(([name, value]) => !headerName.test(name) || !headerValue.test(value))
  )
    return `it has more than ${maxHeaders} headers, or one cannot be sent`
  if (hasTwins(headers)) return 'one of its headers occurs twice'
  if (condition.length > maxConditionChars)
    return `its condition is longer than ${maxConditionChars} characters`
  if (root !== undefined && !isPath(root)) return `its folder ${got(root)} is not a path`
  if (cwd !== undefined && !isPath(cwd)) return `its folder ${got(cwd)} is not a path`
  return model !== undefined && (model === '' || model.length > 200)
    ? `its model ${got(model)} is not a name`
    : undefined
}

const optional = ['args', 'cwd', 'env', 'files', 'headers', 'model'] as const satisfies readonly Option[]

const isThere = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)

/**
 * The hook without options that its type does not use, without variables that could replace its program, and
 * with long texts cut. Remarks name each change.
 */
export const trimmed = (
  type: HandlerType,
  hook: ForeignHook,
): { readonly hook: ForeignHook; readonly remarks: Remarks } => {
  const unused: readonly string[] = optional.filter(
    (option) => isThere(hook[option]) && belongsTo[option]?.includes(type) === false,
  )
  const used = Object.fromEntries(
    Object.entries(hook).filter(([key]) => !unused.includes(key)),
  ) as unknown as ForeignHook
  const { env = {}, description, name } = used
  const isRefused = (variable: string): boolean =>
    !variableName.test(variable) || refusedVariable.test(variable)
  const refused = Object.keys(env).filter(isRefused)
  const isLong = description !== undefined && description.length > maxDescriptionChars
  return {
    hook: {
      ...used,
      env: used.env && Object.fromEntries(Object.entries(env).filter(([variable]) => !isRefused(variable))),
      ...(isLong ? { description: description.slice(0, maxDescriptionChars).toWellFormed() } : {}),
      name: name?.slice(0, maxNameChars).toWellFormed(),
    },
    remarks: [
      unused.length > 0 && `A hook of type ${type} has no use for its ${unused.join(', ')}.`,
      ...refused
        .slice(0, 5)
        .map(
          (variable) =>
            `Its variable ${got(variable)} is left out, because it could replace the program or is not a valid name.`,
        ),
      refused.length > 5 && `${refused.length - 5} more variables are left out.`,
      isLong && `Its description is cut to ${maxDescriptionChars} characters.`,
    ],
  }
}
