import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { isObject, parseJson } from '../../core/model/base/json.ts'
import { refusalIn } from '../../shared/base/problem.ts'
import { sendToGate, unreachable, type Instance } from '../ask.ts'
import { mcpPath } from './route.ts'
import { createToolServer } from './tool-server.ts'
import type { CallTool, ToolAnswer } from './tools.ts'

/** The answer of a tool, in the gate's answer to `tools/call`. */
const answerIn = (text: string): ToolAnswer => {
  const body = parseJson(text)
  const { result } = isObject(body) ? body : {}
  const { content, isError } = isObject(result) ? result : {}
  const [first] = Array.isArray(content) ? content : []
  if (isObject(first) && typeof first['text'] === 'string')
    return { text: first['text'], ...(isError === true ? { isError } : {}) }
  const { message, fix } = refusalIn(body) ?? {
    message: 'Expected an answer of hookgate, got something else.',
    fix: '',
  }
  return { text: `${message} ${fix}`.trim(), isError: true }
}

/**
 * Offers the tools to the client of MCP that started this process. Each call goes to the running gate over
 * the agent's socket. So a client can start before the gate, and a gate that is away is told in words.
 */
export const serveTools = ({
  version,
  ...to
}: Instance & { readonly version: string; readonly chain: readonly string[] }): void => {
  const call: CallTool = async (name, args, signal) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    try {
      return answerIn(
        (await sendToGate({ ...to, path: mcpPath, body: JSON.stringify(message), signal })).text,
      )
    } catch (error) {
      return { text: unreachable(error, to.agent), isError: true }
    }
  }
  serveStdio(() => createToolServer(version, call), { maxSubscriptions: 0 })
}
