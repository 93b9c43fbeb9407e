import { z } from 'zod'
import { maxOptions } from '../../shared/gate/form.ts'

const text = (most: number, what: string) => z.string().trim().min(1).max(most).describe(what)

/** How long `ask_owner` waits for a person, in seconds. Many clients end a call after 60 seconds. */
export const waitSeconds = { least: 5, most: 600, usual: 50 } as const
export const maxQuestionChars = 2000
export const maxNotificationChars = 4000

export interface ToolDefinition {
  readonly title: string
  /** For the model that calls it. */
  readonly description: string
  readonly input: z.ZodObject
  /** It changes nothing and tells nobody anything. */
  readonly isReadOnly: boolean
}

/**
 * The tools that an agent gets over MCP. Each of them does what the agent's interface allows already. None
 * can approve a hook, turn the switch or revoke anything.
 */
export const tools = {
  ask_owner: {
    title: 'Ask the owner',
    description:
      'Asks the person who owns this gate a question, in their chat, and waits for the answer. Without "options" it is a question for yes or no. The person can always answer in their own words, or not at all. The answer is advice to you: it approves no hook and no tool call.',
    input: z.strictObject({
      question: text(maxQuestionChars, 'The question, in plain words. It is all that the person sees.'),
      options: z
        .array(text(200, 'What the person can choose.'))
        .min(2)
        .max(maxOptions)
        .optional()
        .describe('The choices. Without them the person says yes or no.'),
      multiple: z.boolean().optional().describe('The person can choose several of the options.'),
      wait_seconds: z
        .int()
        .min(waitSeconds.least)
        .max(waitSeconds.most)
        .default(waitSeconds.usual)
        .describe('How long to wait. Wait for more than 60 only if your client allows such a long call.'),
    }),
    isReadOnly: false,
  },
  list_hooks: {
    title: 'List the hooks',
    description:
      'Lists the hooks of this gate: the event of each, its name, and whether an owner approved it. A proposal that waits does nothing.',
    input: z.strictObject({}),
    isReadOnly: true,
  },
  propose_hook: {
    title: 'Propose a hook',
    description:
      'Adds a proposal to config/shell_hooks.yaml of the workspace, and nothing more. The owner gets a card. The hook does nothing until the owner approves it. Write the script into the workspace before you propose it.',
    input: z.strictObject({
      event: text(60, 'The event, such as pre_tool_call or on_outbound_message.'),
      command: text(4000, 'The program with its words, such as ./hooks/guard.sh, relative to the workspace.'),
      args: z.array(z.string().max(4000)).max(20).optional().describe('More words for the command.'),
      matcher: text(4000, 'A regular expression. The hook is asked only about what matches.').optional(),
      files: z.array(text(1000, 'A file.')).max(20).optional().describe('Files that the program reads.'),
      timeout: z.number().min(1).max(120).optional().describe('Seconds for one run. 20 without it.'),
      on_error: z
        .enum(['warn', 'block', 'ignore'])
        .optional()
        .describe('What happens when the hook itself fails. A guard needs "block".'),
      name: text(80, 'A name for people.').optional(),
      description: text(1024, 'What it does, in one sentence for people.').optional(),
    }),
    isReadOnly: false,
  },
  why: {
    title: 'Explain a decision',
    description:
      'Says what the gate decided about an event of this agent, which hooks were asked, and why. Without "event_id" it is the last event that was blocked, withheld or failed, or else the last event.',
    input: z.strictObject({ event_id: text(100, 'The id of the event.').optional() }),
    isReadOnly: true,
  },
  notify_owner: {
    title: 'Notify the owner',
    description:
      'Sends a message to the chat of the owner. The hooks of the gate judge it like every message, and can rewrite, hold or withhold it. Use it sparingly.',
    input: z.strictObject({ text: text(maxNotificationChars, 'The message, in plain text.') }),
    isReadOnly: false,
  },
} as const satisfies Readonly<Record<string, ToolDefinition>>

export type ToolName = keyof typeof tools
export const isToolName = (name: unknown): name is ToolName =>
  typeof name === 'string' && Object.hasOwn(tools, name)

/** What a tool says to the model. An expected failure is an answer, too. */
export interface ToolAnswer {
  readonly text: string
  readonly isError?: true
}

/** Carries out a tool. The arguments fit its definition. Never rejects. */
export type CallTool = (name: ToolName, args: unknown, signal: AbortSignal) => Promise<ToolAnswer>
