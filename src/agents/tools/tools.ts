import { resolve } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'
import { runBash } from './bash.ts'
import { readText, replaceText, writeText } from './files.ts'
import { messageTools } from './messages.ts'
import {
  done,
  failed,
  optional,
  specOf,
  tool,
  type Tool,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  word,
  wordList,
} from './tool.ts'

const bashTimeoutMs = 60_000

const path = word('The path of the file, absolute or relative to the workspace.')

const tools: Readonly<Record<string, Tool>> = {
  bash: tool(
    `Runs a command with bash in the workspace and returns its output and exit code. The command ends after at most ${bashTimeoutMs / 1000} s. Its background processes end with it.`,
    { command: word('The command.') },
    async ({ command }, { workspace: cwd, env, signal }) => {
      const { output, exitCode, isTimedOut } = await runBash({
        command,
        cwd,
        env,
        timeoutMs: bashTimeoutMs,
        signal,
      })
      const late = isTimedOut ? `\n[stopped after ${bashTimeoutMs / 1000} s]` : ''
      return { text: `${output}${late}`, isError: isTimedOut || exitCode !== 0, exitCode }
    },
  ),
  read_file: tool('Returns the text of a file of at most 256 KiB.', { path }, async (input, { workspace }) =>
    done(await readText(resolve(workspace, input.path))),
  ),
  write_file: tool(
    'Writes a whole file, and creates its folders.',
    { path, content: word('The whole content of the file.') },
    async ({ path: file, content }, { workspace }) => {
      await writeText(resolve(workspace, file), content)
      return done(`Wrote ${Buffer.byteLength(content)} bytes to ${file}.`)
    },
  ),
  edit_file: tool(
    'Replaces a text that occurs in a file exactly once.',
    {
      path,
      old_text: word('The exact text in the file, with enough of its surroundings to occur only once.'),
      new_text: word('The text that replaces it.'),
    },
    async ({ path: file, old_text, new_text }, { workspace }) => {
      await replaceText(resolve(workspace, file), file, old_text, new_text)
      return done(`Edited ${file}.`)
    },
  ),
  ...messageTools,
  subagent: tool(
    'Gives a task to a subagent that has your tools and does not see this conversation. Its answer is the result. Use it for work of many steps whose details you do not need.',
    {
      task: word('The task, with everything that the subagent has to know.'),
      name: optional(word('A short name for the subagent.')),
    },
    async ({ task, name = 'helper' }, { delegate }) => {
      if (delegate === undefined)
        throw new Error(
          'Expected an agent that may start subagents, got one that may not. Do the task yourself.',
        )
      return delegate(task, name)
    },
  ),
}

/** The tools that the loop carries out itself, in calls.ts. */
const loopTools: Readonly<Record<string, Pick<Tool, 'about' | 'takes'>>> = {
  done: {
    about:
      'Claims that the task is done. It ends the turn, unless a hook refuses the claim. Then you get the reason and continue.',
    takes: {
      summary: word('What was done, and how the person can check it. Write only what really happened.'),
    },
  },
  ask_person: {
    about:
      'Asks the person a question. With options, the person taps one, and the answer is the result. Without options it ends the turn, and their next message is the answer.',
    takes: {
      question: word('The question.'),
      options: optional(wordList('The answers to choose from, each a few words.')),
      multiple: optional({
        schema: { type: 'boolean', description: 'True when the person may choose several options.' },
        read: (input, name) => input[name],
      }),
    },
  },
}

/** The descriptions of all tools for a model. */
export const toolSpecs: readonly ToolSpec[] = Object.entries({ ...tools, ...loopTools }).map(
  ([name, described]) => specOf(name, described),
)

/** Runs one tool. A failure of the tool is a result. Rejects only on abort. */
export const runTool = async (name: string, input: JsonObject, context: ToolContext): Promise<ToolResult> => {
  try {
    const found = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (found === undefined)
      throw new Error(`Expected one of ${Object.keys(tools).join(', ')}, got "${name}".`)
    return await found.run(input, context)
  } catch (error) {
    context.signal.throwIfAborted()
    return failed(error instanceof Error ? error.message : String(error))
  }
}
