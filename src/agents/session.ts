import { randomUUID } from 'node:crypto'
import type { Reporter } from './reporter.ts'

const maxTools = 100
const maxUrls = 500
const maxUrlsPerTool = 50
const maxUrlLength = 2_000

/** One tool that ran, as evidence for a claim of completion. */
export interface ToolUse {
  readonly name: string
  readonly is_error: boolean
  readonly exit_code: number
  readonly urls: readonly string[]
}

/** What the agent remembers of one conversation, from its start or from the last `new`. */
export interface Session {
  readonly id: string
  readonly startedAtMs: number
  /** From on_session_start; they last as long as the session. */
  readonly contexts: string[]
  readonly tools: ToolUse[]
  /** The last thing that the person asked for. */
  goal: string
  /** The last that was said here, by its push_id: what `edit` without a name is about. */
  lastMessage?: string
  /** True while the next message of the person answers a question. */
  isAsking: boolean
  /** Claims of completion that were refused, one after another. */
  refusedClaims: number
  steps: number
}

export const newSession = (): Session => ({
  id: randomUUID(),
  startedAtMs: Date.now(),
  contexts: [],
  tools: [],
  goal: '',
  isAsking: false,
  refusedClaims: 0,
  steps: 0,
})

/** The web addresses in a tool's result; the longer ones are left out. */
const urlsIn = (text: string): readonly string[] =>
  text
    .matchAll(/https?:\/\/[^\s"'<>`)\]}]+/g)
    .map(([url]) => url)
    .filter((url) => url.length <= maxUrlLength)
    .take(maxUrlsPerTool)
    .toArray()

/** Remembers a tool that ran; the oldest are forgotten when there are too many. */
export const rememberTool = ({ tools }: Session, name: string, result: { readonly text: string; readonly isError: boolean; readonly exitCode: number }): void => {
  tools.push({ name, is_error: result.isError, exit_code: result.exitCode, urls: urlsIn(result.text) })
  const urlCount = (): number => tools.reduce((sum, tool) => sum + tool.urls.length, 0)
  while (tools.length > maxTools || urlCount() > maxUrls) tools.shift()
}

export const toolNames = ({ tools }: Session): string[] => [...new Set(tools.map((tool) => tool.name))]

/** Opens a session. Returns why not, or undefined when it is open. */
export const openSession = async (session: Session, reporter: Reporter, source: 'startup' | 'clear', prompt: string, signal: AbortSignal): Promise<string | undefined> => {
  const ruling = await reporter.fire('on_session_start', { status: 'started', source, model: 'demo', initial_prompt: prompt }, signal)
  if (ruling.verdict !== 'allow') return ruling.reason
  if (ruling.context !== '') session.contexts.push(ruling.context)
  return undefined
}

export const closeSession = async (session: Session, reporter: Reporter, reason: 'clear'): Promise<void> => {
  const duration_seconds = Math.round((Date.now() - session.startedAtMs) / 1000)
  await reporter.fire('on_session_end', { status: 'ended', reason, duration_seconds, total_steps: session.steps })
}
