import { resolve } from 'node:path'
import type { JsonObject } from '../../model/base/json.ts'
import { runBash } from './bash.ts'
import { readText, replaceText, writeText } from './files.ts'
import { messageTools } from './messages.ts'
import {
  done,
  failed,
  optional,
  optionalText,
  specOf,
  text,
  type Tool,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  word,
} from './tool.ts'

const bashTimeoutMs = 60_000

const path = word('The file, from the workspace on or absolute.')

const tools: Readonly<Record<string, Tool>> = {
  bash: {
    about: `Runs a command with bash in the workspace and gives its output and exit code. It is stopped after ${bashTimeoutMs / 1000} s, with everything that it left in the background.`,
    takes: { command: word('The command.') },
    run: async (input, { workspace, env, signal }) => {
      const command = text(input, 'command')
      const { output, exitCode, isTimedOut } = await runBash({
        command,
        cwd: workspace,
        env,
        timeoutMs: bashTimeoutMs,
        signal,
      })
      const late = isTimedOut ? `\n[stopped after ${bashTimeoutMs / 1000} s]` : ''
      return { text: `${output}${late}`, isError: isTimedOut || exitCode !== 0, exitCode }
    },
  },
  read_file: {
    about: 'Gives a text file of at most 256 KiB.',
    takes: { path },
    run: async (input, { workspace }) => done(await readText(resolve(workspace, text(input, 'path')))),
  },
  write_file: {
    about: 'Writes a whole file, and the folders that it is in.',
    takes: { path, content: word('All that the file is to hold.') },
    run: async (input, { workspace }) => {
      const content = text(input, 'content')
      const path = text(input, 'path')
      await writeText(resolve(workspace, path), content)
      return done(`Wrote ${Buffer.byteLength(content)} bytes to ${path}.`)
    },
  },
  edit_file: {
    about: 'Replaces a text that stands in a file exactly once.',
    takes: {
      path,
      old_text: word('The text as it stands there, with enough around it to be the only one.'),
      new_text: word('What takes its place.'),
    },
    run: async (input, { workspace }) => {
      const path = text(input, 'path')
      await replaceText(resolve(workspace, path), path, text(input, 'old_text'), text(input, 'new_text'))
      return done(`Edited ${path}.`)
    },
  },
  ...messageTools,
  subagent: {
    about:
      'Gives a task to a helper that has your tools and knows nothing of this conversation. Its answer is the result. Good for what takes many steps whose details you do not need.',
    takes: { task: word('All that it has to know.'), name: optional(word('A short name for it.')) },
    run: async (input, { delegate }) => {
      if (delegate === undefined)
        throw new Error('Expected an agent that may start others, got one that may not. Do it yourself.')
      return delegate(text(input, 'task'), optionalText(input, 'name') ?? 'helper')
    },
  },
}

/** What the loop carries out itself: see calls.ts. */
const ofTheLoop: Readonly<Record<string, Pick<Tool, 'about' | 'takes'>>> = {
  done: {
    about:
      'Says that what the person asked for is done. It ends the turn unless a hook refuses; then you are told why and go on.',
    takes: { summary: word('What was done, and how it can be seen. Only what really happened.') },
  },
  ask_person: {
    about:
      'Asks the person something that you need to know and ends the turn. Their next message is the answer.',
    takes: { question: word('The question.') },
  },
}

/** Every tool as a model is told of it. */
export const toolSpecs: readonly ToolSpec[] = Object.entries({ ...tools, ...ofTheLoop }).map(([name, tool]) =>
  specOf(name, tool),
)

/** Runs one tool. A tool's failure is a result; only an abort rejects. */
export const runTool = async (name: string, input: JsonObject, context: ToolContext): Promise<ToolResult> => {
  try {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (tool === undefined)
      throw new Error(`Expected one of ${Object.keys(tools).join(', ')}, got "${name}".`)
    return await tool.run(input, context)
  } catch (error) {
    context.signal.throwIfAborted()
    return failed(error instanceof Error ? error.message : String(error))
  }
}
