import { McpServer } from '@modelcontextprotocol/server'
import { isToolName, tools, type CallTool, type ToolDefinition } from './tools.ts'

const instructions =
  'hookgate stands between you and the world: its owner approves hooks, and they judge your steps and messages. These tools ask and tell the owner. None of them approves anything.'

/** Makes a server that offers the tools. `call` carries them out. */
export const createToolServer = (version: string, call: CallTool): McpServer => {
  const server = new McpServer(
    { name: 'hookgate', title: 'hookgate', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  for (const [name, tool] of Object.entries<ToolDefinition>(tools)) {
    if (!isToolName(name)) continue
    const { title, description, input, isReadOnly } = tool
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false }
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations },
      async (args, context) => {
        const { text, isError } = await call(name, args, context.mcpReq.signal)
        return { content: [{ type: 'text', text }], ...(isError === true ? { isError } : {}) }
      },
    )
  }
  return server
}
