import { z } from 'zod'
import { FOREIGN_DIALECTS } from '../model/dialect.ts'
import { HANDLER_TYPES, type HandlerType } from '../model/entry.ts'
import { refusedInWords, refusedVariable } from '../model/hook-world.ts'

export const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

export const maxArgs = 100
export const maxFiles = 50
export const maxHeaders = 32
export const maxValueChars = 4000
export const maxPromptChars = 8000
export const maxDescriptionChars = 1024
export const maxNameChars = 80

/** A header's name is an HTTP token; its value is one line of what HTTP can carry. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
export const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]{0,4000}$/
/** Two spellings of one name would be one header with the one value or the other. */
export const hasTwins = (headers: Readonly<Record<string, string>>): boolean => {
  const names = Object.keys(headers)
  return new Set(names.map((name) => name.toLowerCase())).size < names.length
}

const relative = z
  .string()
  .min(1)
  .max(1000)
  .refine((path) => !path.includes('\0'))

/** What a file may say about one hook. Each description is what an error message expects. */
export const entryShape = {
  event: z.string().describe('the name of an event'),
  type: z.enum(HANDLER_TYPES).default('command').describe('command, process, http, builtin or llm'),
  command: z
    .string()
    .trim()
    .min(1)
    .max(maxValueChars)
    .optional()
    .describe('a command: a path or a program with its words, at most 4000 characters'),
  args: z.array(z.string().max(maxValueChars)).max(maxArgs).default([]).describe('a list of strings'),
  url: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .optional()
    .describe('an http or https address of at most 2000 characters'),
  headers: z
    .record(z.string().regex(headerName), z.string().regex(headerValue))
    .refine((headers) => Object.keys(headers).length <= maxHeaders && !hasTwins(headers))
    .optional()
    .describe('header names, each once, and their values: one line of at most 4000 characters each'),
  sign_with: z
    .string()
    .regex(variableName)
    .optional()
    .describe('the name of an environment variable that holds the key'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(maxPromptChars)
    .optional()
    .describe('a prompt of at most 8000 characters'),
  model: z.string().trim().min(1).max(200).optional().describe('the name of a model'),
  matcher: z
    .union([
      z.string(),
      z.strictObject({
        tool: z.string().optional(),
        pattern: z.string().optional(),
        field: z.string().min(1).max(200).optional(),
      }),
    ])
    .optional()
    .describe('a regular expression (write alternatives as "a|b"), "*", or {tool, pattern, field}'),
  timeout: z.number().min(1).max(120).default(20).describe('a number from 1 to 120 (seconds)'),
  on_error: z.enum(['warn', 'block', 'ignore']).default('warn').describe('warn, block or ignore'),
  priority: z.int().min(0).max(1000).default(100).describe('a whole number from 0 to 1000'),
  async: z.boolean().default(false).describe('true or false'),
  warm: z.boolean().default(false).describe('true or false'),
  cwd: relative.optional().describe('a folder, relative to the workspace'),
  env: z
    .record(
      z
        .string()
        .regex(variableName)
        .refine((name) => !refusedVariable.test(name)),
      z.string().max(maxValueChars),
    )
    .default({})
    .describe(`names and strings (${refusedInWords})`),
  files: z.array(relative).max(maxFiles).default([]).describe('a list of files, relative to the workspace'),
  dialect: z
    .enum(['native', ...FOREIGN_DIALECTS])
    .default('native')
    .describe(`native, ${FOREIGN_DIALECTS.slice(0, -1).join(', ')} or ${FOREIGN_DIALECTS.at(-1)}`),
  description: z
    .string()
    .trim()
    .min(1)
    .max(maxDescriptionChars)
    .optional()
    .describe('a description of at most 1024 characters'),
  name: z.string().trim().min(1).max(maxNameChars).optional().describe('a name of at most 80 characters'),
} as const

export type Option = keyof typeof entryShape
export const isOption = (key: unknown): key is Option =>
  typeof key === 'string' && Object.hasOwn(entryShape, key)
export const entrySchema = z.strictObject(entryShape)
export type RawEntry = z.infer<typeof entrySchema>

/** What each type asks, and goes into the entry's `command`. */
export const subjectOption = {
  command: 'command',
  process: 'command',
  http: 'url',
  builtin: 'command',
  llm: 'prompt',
} as const satisfies Record<HandlerType, Option>

/** Options that only some types have a use for; every other belongs to all. */
export const belongsTo: { readonly [option in Option]?: readonly HandlerType[] } = {
  command: ['command', 'process', 'builtin'],
  args: ['command', 'process', 'builtin'],
  url: ['http'],
  headers: ['http'],
  sign_with: ['http'],
  prompt: ['llm'],
  model: ['llm'],
  warm: ['command'],
  cwd: ['command', 'process'],
  env: ['command', 'process'],
  files: ['command', 'process'],
}
