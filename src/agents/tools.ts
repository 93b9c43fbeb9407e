import { resolve } from 'node:path'
import type { JsonObject } from '../model/json.ts'
import { runBash } from './bash.ts'
import { readText, writeText } from './files.ts'
import { messageTools } from './messages.ts'
import { done, failed, text, type Tool, type ToolContext, type ToolResult } from './tool.ts'

const bashTimeoutMs = 60_000

const tools: Readonly<Record<string, Tool>> = {
  bash: async (input, { workspace, env, signal }) => {
    const command = text(input, 'command')
    const { output, exitCode, isTimedOut } = await runBash({ command, cwd: workspace, env, timeoutMs: bashTimeoutMs, signal })
    const late = isTimedOut ? `\n[stopped after ${bashTimeoutMs / 1000} s]` : ''
    return { text: `${output}${late}`, isError: isTimedOut || exitCode !== 0, exitCode }
  },
  read_file: async (input, { workspace }) => done(await readText(resolve(workspace, text(input, 'path')))),
  write_file: async (input, { workspace }) => {
    const content = text(input, 'content')
    const path = text(input, 'path')
    await writeText(resolve(workspace, path), content)
    return done(`Wrote ${Buffer.byteLength(content)} bytes to ${path}.`)
  },
  edit_file: async (input, { workspace }) => {
    const path = text(input, 'path')
    const [old, fresh] = [text(input, 'old_text'), text(input, 'new_text')]
    const pieces = (await readText(resolve(workspace, path))).split(old)
    if (old === '' || pieces.length !== 2) throw new Error(`Expected "old_text" to stand in ${path} exactly once, got ${old === '' ? 'an empty text' : `it ${pieces.length - 1} times`}.`)
    await writeText(resolve(workspace, path), pieces.join(fresh))
    return done(`Edited ${path}.`)
  },
  ...messageTools,
}

/** Runs one tool. A tool's failure is a result; only an abort rejects. */
export const runTool = async (name: string, input: JsonObject, context: ToolContext): Promise<ToolResult> => {
  try {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (tool === undefined) throw new Error(`Expected one of ${Object.keys(tools).join(', ')}, got "${name}".`)
    return await tool(input, context)
  } catch (error) {
    context.signal.throwIfAborted()
    return failed(error instanceof Error ? error.message : String(error))
  }
}
