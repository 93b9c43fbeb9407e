import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { ToolRan } from '../../../shared/gate/client.ts'
import { cut } from '../../tools/capture.ts'

const maxUnits = 64 * 1024

/** Paths at which agents report what a command printed, when the content does not hold it. */
const printed = ['rawOutput.formatted_output', 'rawOutput.output', '_meta.terminal_output_delta.data']
const exits = [
  'rawOutput.exit_code',
  'rawOutput.metadata.exit',
  'rawOutput.contents.0.exitCode',
  '_meta.terminal_exit.exit_code',
]

const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    )

const textOf = (call: ToolCallUpdate): string => {
  const shown = (call.content ?? []).flatMap((item) =>
    item.type === 'content' && item.content.type === 'text' ? [item.content.text] : [],
  )
  if (shown.length > 0) return shown.join('\n')
  const output = printed.map((path) => valueAt(call, path)).find((value) => typeof value === 'string')
  if (output !== undefined) return output
  const { rawOutput } = call
  return typeof rawOutput === 'string'
    ? rawOutput
    : rawOutput === undefined || rawOutput === null
      ? ''
      : JSON.stringify(rawOutput)
}

/** The result of a tool that the agent ran, as far as the agent reports it. */
export const outcomeOf = (call: ToolCallUpdate): Pick<ToolRan, 'text' | 'isError' | 'exitCode'> => {
  const text = textOf(call)
  const reportedCode = exits.map((path) => valueAt(call, path)).find((value) => typeof value === 'number')
  const isError = call.status === 'failed' || (reportedCode ?? 0) !== 0
  const exitCode = reportedCode ?? (isError ? 1 : call.kind === 'execute' ? null : 0)
  return { text: cut(text, maxUnits), isError, exitCode }
}
