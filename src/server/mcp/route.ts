import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { CallTool } from './tools.ts'

export const mcpPath = '/v1/mcp'
/** The longest call: a hook with all its options. In bytes. */
export const maxCallBytes = 256 * 1024

/** The headers that a client of MCP sends along with a message. */
const passed = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** An answer is always one JSON document, so a client gets it whatever else it would take. */
const accept = 'application/json, text/event-stream'

/**
 * Answers one message of a client of MCP, by streamable HTTP without sessions: the agent's socket says who
 * calls. The packages are loaded with the first message, because most gates get none.
 */
export const answerMcp = async (
  version: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
  message: JsonObject,
  call: CallTool,
): Promise<Response> => {
  const { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } =
    await import('@modelcontextprotocol/server')
  const { createToolServer } = await import('./tool-server.ts')
  const sent = passed.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
  const request = new Request(`http://localhost${mcpPath}`, {
    method: 'POST',
    headers: { ...Object.fromEntries(sent), accept },
  })
  const options = { parsedBody: message }
  if (!(await isLegacyRequest(request, message))) {
    const create = (): ReturnType<typeof createToolServer> => createToolServer(version, call)
    // A subscription would hold a stream open, and nothing of ours changes that it could tell.
    const handler = createMcpHandler(create, { legacy: 'reject', maxSubscriptions: 0 })
    return await handler.fetch(request, options)
  }
  // The protocol before July 2026.
  const server = createToolServer(version, call)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await transport.handleRequest(request, options)
  } finally {
    await server.close()
  }
}

/** Writes the answer. It is whole already. */
export const writeMcp = async (response: ServerResponse, answer: Response): Promise<void> => {
  const body = Buffer.from(await answer.arrayBuffer())
  if (response.destroyed) return
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, {
    ...(type === null ? {} : { 'content-type': type }),
    'content-length': body.length,
  })
  response.end(body)
}
