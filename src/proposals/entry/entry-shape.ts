import { z } from 'zod'
import { FOREIGN_DIALECTS } from '../../core/model/hooks/dialect.ts'
import { readDuration } from '../../shared/base/duration.ts'
import { HANDLER_TYPES, type HandlerType } from '../../core/model/hooks/entry.ts'
import { refusedInWords, refusedVariable } from '../../shared/hooks/hook-world.ts'

export const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** The name of an agent in gate.yaml, or of a client that `hookgate bridge` connects. */
const agentName = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/

export const maxAgents = 50
export const maxArgs = 100
export const maxFiles = 50
export const maxHeaders = 32
export const maxValueChars = 4000
export const maxPromptChars = 8000
export const maxDescriptionChars = 1024
export const maxNameChars = 80

/** A header's name is an HTTP token. Its value is one line of the characters that HTTP can carry. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
export const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]{0,4000}$/
/** True when two names differ only in letter case: HTTP would treat them as one header with two values. */
export const hasTwins = (headers: Readonly<Record<string, string>>): boolean => {
  const names = Object.keys(headers)
  return new Set(names.map((name) => name.toLowerCase())).size < names.length
}

const quietHours = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/
const ownerId = /^[a-z]{1,20}:[^\s]{1,100}$/

const amount = z.number().positive().max(1e12)
const budgetAmounts = z.strictObject({
  tokens: amount.exactOptional(),
  dollars: amount.exactOptional(),
  steps: amount.exactOptional(),
  minutes: amount.exactOptional(),
})

const relative = z
  .string()
  .min(1)
  .max(1000)
  .refine((path) => !path.includes('\0'))

const words = (maxChars: number) => z.string().trim().min(1).max(maxChars).optional()

/**
 * The options of one hook in a configuration file. The description of an option is the text that an error
 * message expects; `does` is the text that the reference and the editors' schema show.
 */
export const entryShape = {
  event: z.string().describe('the name of an event').meta({ does: 'The hook is asked about this event.' }),
  type: z
    .enum(HANDLER_TYPES)
    .default('command')
    .describe('command, process, http, builtin or llm')
    .meta({ does: 'The hook is reached in this way.' }),
  command: words(maxValueChars)
    .describe('a command: a path or a program with its words, at most 4000 characters')
    .meta({
      does: 'The hook is this program with its words, or the builtin of this name. `./extensions/shell_hooks/examples/NAME`, where nothing lies, is `./.hookgate-examples/NAME`.',
    }),
  args: z
    .array(z.string().max(maxValueChars))
    .max(maxArgs)
    .default([])
    .describe('a list of strings')
    .meta({ does: 'These words follow the command.' }),
  url: words(2000)
    .describe('an http or https address of at most 2000 characters')
    .meta({ does: 'The payload is posted to this address.' }),
  headers: z
    .record(z.string().regex(headerName), z.string().regex(headerValue))
    .refine((headers) => Object.keys(headers).length <= maxHeaders && !hasTwins(headers))
    .optional()
    .describe('header names, each once, and their values: one line of at most 4000 characters each')
    .meta({
      does: 'These headers are sent along. A value may name a variable, `$NAME`, that gate.yaml lists under `http.env`.',
    }),
  sign_with: z
    .string()
    .regex(variableName)
    .optional()
    .describe('the name of an environment variable that holds the key')
    .meta({
      does: 'Each request is signed with the key in this variable, which gate.yaml lists under `http.env`.',
    }),
  prompt: words(maxPromptChars)
    .describe('a prompt of at most 8000 characters')
    .meta({ does: 'The model judges each payload by this prompt.' }),
  model: words(200)
    .describe('the name of a model')
    .meta({ does: 'This model is asked. Without it, the one of `llm` in gate.yaml is asked.' }),
  limits: z
    .strictObject({
      turn: budgetAmounts.exactOptional(),
      session: budgetAmounts.exactOptional(),
      day: budgetAmounts.exactOptional(),
    })
    .optional()
    .describe(
      'turn, session and day, each with tokens, dollars, steps or minutes, and each of these a number above 0',
    )
    .meta({
      does: 'The builtin budget blocks when one of these limits is reached: `{turn: {steps: 50}, day: {dollars: 5}}`.',
    }),
  price: z
    .strictObject({ input: z.number().min(0).max(1_000_000), output: z.number().min(0).max(1_000_000) })
    .optional()
    .describe('input and output, each a number of US dollars a million tokens')
    .meta({
      does: 'The builtin budget counts the tokens of a model call at this price when the call states no cost.',
    }),
  quiet: z
    .union([z.string().regex(quietHours), z.record(z.string().regex(ownerId), z.string().regex(quietHours))])
    .optional()
    .describe('hours such as 22:00-07:00, or such hours by the id of an owner')
    .meta({
      does: 'The builtin tell_owner tells nothing in these hours, in the time zone of the machine. What happened comes as one notice when they end.',
    }),
  busy: z
    .string()
    .refine((text) => readDuration(text) !== undefined)
    .optional()
    .describe('a duration such as 10m')
    .meta({
      does: 'The builtin tell_owner tells the owners when a turn lasts longer than this.',
    }),
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
    .describe('a regular expression (write alternatives as "a|b"), "*", or {tool, pattern, field}')
    .meta({ does: 'The hook is asked about the payloads that match. Without it, it is asked about all.' }),
  agents: z
    .array(z.string().regex(agentName))
    .min(1)
    .max(maxAgents)
    .optional()
    .describe('a list of names of agents')
    .meta({ does: 'The hook is for these agents. Without it, it is for all.' }),
  nodes: z.literal('all').optional().describe('all').meta({
    does: 'With `all`, the hook runs on every machine, each time on the one whose event it is about, and one approval counts for all of them. Without it, a hook runs on the machine whose workspace proposes it.',
  }),
  timeout: z
    .number()
    .min(1)
    .max(120)
    .default(20)
    .describe('a number from 1 to 120 (seconds)')
    .meta({ does: 'One run of the hook may take this long.' }),
  on_error: z.enum(['warn', 'block', 'ignore']).default('warn').describe('warn, block or ignore').meta({
    does: 'This decides what happens after a fault that the agent cannot bring about. `warn` goes on, records it and tells the person; `block` fails closed on an event with a gate, after any fault; `ignore` only records it.',
  }),
  priority: z
    .int()
    .min(0)
    .max(1000)
    .default(100)
    .describe('a whole number from 0 to 1000')
    .meta({ does: 'A hook with a higher number is asked first.' }),
  async: z.boolean().default(false).describe('true or false').meta({
    does: 'With true, nobody waits for the hook: it gets the settled payload after the verdict, or nothing if that was a block, and its answer is ignored. An agent with 256 events, or 8 million letters of them, that such hooks have not heard yet waits up to 5 seconds with its next one; then the hook is left out of that one, and a warning says so.',
  }),
  warm: z
    .boolean()
    .default(false)
    .describe('true or false')
    .meta({ does: 'With true, a started instance waits at its stdin.' }),
  cwd: relative
    .optional()
    .describe('a folder, relative to the workspace')
    .meta({ does: 'The hook works in this folder. Without it, it works in the workspace.' }),
  env: z
    .record(
      z
        .string()
        .regex(variableName)
        .refine((name) => !refusedVariable.test(name)),
      z.string().max(maxValueChars),
    )
    .default({})
    .describe(`names and strings (${refusedInWords})`)
    .meta({
      does: 'The hook gets these variables, too. In a value, `$NAME` stands for a variable that gate.yaml lists under `hooks.env`.',
    }),
  files: z
    .array(relative)
    .max(maxFiles)
    .default([])
    .describe('a list of files, relative to the workspace')
    .meta({
      does: `The hook reads these files. They are sealed with it. What the script imports, or looks for where it lies (\`import helper\`, \`. "$(dirname "$0")/lib.sh"\`, \`require('./x')\`), is sealed with it by itself, up to 64 files. \`~/\` is the home of the person who started hookgate, of which only the folders of other systems' hooks can be read.`,
    }),
  dialect: z
    .enum(['native', ...FOREIGN_DIALECTS])
    .default('native')
    .describe(`native, ${FOREIGN_DIALECTS.slice(0, -1).join(', ')} or ${FOREIGN_DIALECTS.at(-1)}`)
    .meta({ does: 'The hook reads the names and shapes of this system.' }),
  description: words(maxDescriptionChars)
    .describe('a description of at most 1024 characters')
    .meta({ does: 'The agent is told this of the hook while it is live, and no more.' }),
  name: words(maxNameChars).describe('a name of at most 80 characters').meta({
    does: 'People see this in place of the command. It is the one option that may change without a new approval.',
  }),
} as const

export type Option = keyof typeof entryShape
export const isOption = (key: unknown): key is Option =>
  typeof key === 'string' && Object.hasOwn(entryShape, key)

export const entrySchema = z.strictObject(entryShape)
export type RawEntry = z.infer<typeof entrySchema>

/** The option of each handler type that names what is asked. Its value becomes the entry's `command`. */
export const subjectOption = {
  command: 'command',
  process: 'command',
  http: 'url',
  builtin: 'command',
  llm: 'prompt',
} as const satisfies Record<HandlerType, Option>

/** The options that only some handler types use. Every other option belongs to all types. */
export const belongsTo: { readonly [option in Option]?: readonly HandlerType[] } = {
  command: ['command', 'process', 'builtin'],
  args: ['command', 'process', 'builtin'],
  url: ['http'],
  headers: ['http'],
  sign_with: ['http'],
  prompt: ['llm'],
  model: ['llm'],
  limits: ['builtin'],
  price: ['builtin'],
  quiet: ['builtin'],
  busy: ['builtin'],
  nodes: ['command'],
  warm: ['command'],
  cwd: ['command', 'process'],
  env: ['command', 'process'],
  files: ['command', 'process'],
}
