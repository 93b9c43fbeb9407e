import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Agent, fetch as fetchBy } from 'undici'
import { cli } from '../../e2e/program.ts'

/** A real client of MCP that is connected with the tools of an agent. */
export interface ToolClient {
  readonly names: () => Promise<readonly string[]>
  /** What the tool says. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<Said>
  close(): Promise<void>
}
export interface Said {
  readonly text: string
  readonly isError: boolean
}

type RequestBy = Parameters<typeof fetchBy>[1]

const callMs = 120_000

const connected = async (transport: Parameters<Client['connect']>[0], era: Era): Promise<ToolClient> => {
  const versionNegotiation = { mode: era } as const
  const client = new Client({ name: 'a-client', version: '1.0.0' }, { versionNegotiation })
  await client.connect(transport)
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) => {
      const options = { timeout: callMs, ...(signal === undefined ? {} : { signal }) }
      const { content, isError } = await client.callTool({ name, arguments: args }, options)
      const [first] = content
      return { text: first?.type === 'text' ? first.text : '', isError: isError === true }
    },
    close: () => client.close(),
  }
}

/** The protocol of July 2026, or the one before it, which most clients speak. */
export type Era = 'auto' | 'legacy'

/** Starts `hookgate mcp`, as a client of MCP does. */
export const overStdio = (gate: string, era: Era = 'legacy', agent = 'main'): Promise<ToolClient> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--agent', agent],
      env: { PATH: process.env['PATH'] ?? '', HOOKGATE_HOME: gate },
    }),
    era,
  )

/** Speaks HTTP on the socket of the agent. */
export const overHttp = (gate: string, era: Era = 'legacy', agent = 'main'): Promise<ToolClient> => {
  const dispatcher = new Agent({ connect: { socketPath: join(gate, 'run', `${agent}.sock`) } })
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
    fetchBy(url, { ...init, dispatcher } as RequestBy)
  return connected(new StreamableHTTPClientTransport(new URL('http://localhost/v1/mcp'), { fetch }), era)
}
