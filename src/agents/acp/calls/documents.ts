import { resolve } from 'node:path'
import { type ReadTextFileRequest, RequestError, type WriteTextFileRequest } from '@agentclientprotocol/sdk'
import { readText, writeText } from '../../tools/files.ts'
import { done, failed, text, type ToolResult } from '../../tools/tool.ts'
import type { ReportedCall } from './calls.ts'
import { type Live, putOff } from '../live.ts'
import { refusal } from './refusal.ts'
import { reportResult, screened } from './results.ts'

const attempt = async (work: () => Promise<string>): Promise<ToolResult> => {
  try {
    return done(await work())
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/**
 * A file that is not there reads as empty, as it does in Zed: agents look before they write a new one, and Gemini CLI
 * does not understand any error here.
 */
const readOrEmpty = async (path: string): Promise<string> => {
  try {
    return await readText(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** From the how-many-th line, counted from 1, and how many. */
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

/** The files that the agent reads and writes through us: the same rule as for the built-in tools. */
export const createDocuments = (workspace: string) => {
  const use = async (
    live: Live,
    call: ReportedCall,
    work: (path: string, input: ReportedCall['input']) => Promise<string>,
  ): Promise<string> => {
    live.voice.speak()
    const leave = await live.guard.judge(call)
    if (leave.kind === 'block') throw refusal(live, call, leave)
    live.signal.throwIfAborted()
    putOff(live.later, leave.context)
    const result = await attempt(() => work(resolve(workspace, text(leave.input, 'path')), leave.input))
    live.guard.ran(call)
    const context = await reportResult(live, leave, result)
    if (result.isError)
      throw new RequestError(-32603, [result.text, context].filter((part) => part !== '').join('\n'))
    // Of what was written the agent is told nothing, so there is nothing to screen.
    return call.name === 'read_file' ? screened(live, leave, result.text, false) : ''
  }

  return {
    read: async ({ path, line, limit }: ReadTextFileRequest, live: Live) => ({
      content: await use(live, { name: 'read_file', input: { path } }, async (at) =>
        linesOf(await readOrEmpty(at), line, limit),
      ),
    }),
    write: async ({ path, content }: WriteTextFileRequest, live: Live) => {
      await use(live, { name: 'write_file', input: { path, content } }, async (at, input) => {
        const settled = text(input, 'content')
        await writeText(at, settled)
        return `Wrote ${Buffer.byteLength(settled)} bytes to ${at}.`
      })
      return {}
    },
  }
}

export type Documents = ReturnType<typeof createDocuments>
