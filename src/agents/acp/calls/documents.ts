import { resolve } from 'node:path'
import { type ReadTextFileRequest, RequestError, type WriteTextFileRequest } from '@agentclientprotocol/sdk'
import { codeOf } from '../../../core/model/gate/problem.ts'
import { readText, writeText } from '../../tools/files.ts'
import { done, failed, text, type ToolResult } from '../../tools/tool.ts'
import type { ReportedCall } from './calls.ts'
import { type Live, tellLater } from '../live.ts'
import { refusal, reportResult, screened } from './results.ts'

const attempt = async (work: () => Promise<string>): Promise<ToolResult> => {
  try {
    return done(await work())
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/**
 * A missing file reads as empty, as in Zed. Agents read a file before they write a new one, and Gemini CLI
 * does not understand any error here.
 */
const readOrEmpty = async (path: string): Promise<string> => {
  try {
    return await readText(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/** Returns `limit` lines from line number `line`, which is counted from 1. */
const linesOf = (
  content: string,
  line: number | null | undefined,
  limit: number | null | undefined,
): string => {
  if ((line ?? undefined) === undefined && (limit ?? undefined) === undefined) return content
  const from = Math.max(0, (line ?? 1) - 1)
  return content
    .split('\n')
    .slice(from, limit === null || limit === undefined ? undefined : from + Math.max(0, limit))
    .join('\n')
}

/** Reads and writes files for the agent, by the same rule as the built-in tools. */
export const createDocuments = (workspace: string) => {
  const use = async (
    live: Live,
    call: ReportedCall,
    work: (path: string, input: ReportedCall['input']) => Promise<string>,
  ): Promise<string> => {
    live.voice.speak()
    const verdict = await live.guard.judge(call)
    if (verdict.kind === 'block') throw refusal(live, call, verdict)
    live.signal.throwIfAborted()
    tellLater(live.later, verdict.context)
    const result = await attempt(() => work(resolve(workspace, text(verdict.input, 'path')), verdict.input))
    live.guard.markRun(call)
    const context = await reportResult(live, verdict, result)
    if (result.isError)
      throw new RequestError(-32603, [result.text, context].filter((part) => part !== '').join('\n'))
    // The agent gets no text back after a write, so there is nothing to screen.
    return call.name === 'read_file' ? screened(live, verdict, result.text, false) : ''
  }

  return {
    read: async ({ path, line, limit }: ReadTextFileRequest, live: Live) => ({
      content: await use(live, { name: 'read_file', input: { path } }, async (file) =>
        linesOf(await readOrEmpty(file), line, limit),
      ),
    }),
    write: async ({ path, content }: WriteTextFileRequest, live: Live) => {
      await use(live, { name: 'write_file', input: { path, content } }, async (file, input) => {
        const settled = text(input, 'content')
        await writeText(file, settled)
        return `Wrote ${Buffer.byteLength(settled)} bytes to ${file}.`
      })
      return {}
    },
  }
}

export type Documents = ReturnType<typeof createDocuments>
