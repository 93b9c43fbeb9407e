import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { isToolName, tools, type CallTool, type ToolDefinition } from './tools.ts'

const instructions =
  'hookgate stands between you and the world: its owner approves hooks, and they judge your steps and messages. These tools ask and tell the owner. None of them approves anything.'

/** The same schema, whose JSON Schema is made once, since each request has a server of its own. */
const madeOnce = (schema: ToolDefinition['input']): StandardSchemaWithJSON => {
  const standard = (schema as StandardSchemaWithJSON)['~standard']
  const json = standard.jsonSchema.input({ target: 'draft-2020-12' })
  return { '~standard': { ...standard, jsonSchema: { ...standard.jsonSchema, input: () => json } } }
}

const offered = Object.keys(tools)
  .filter(isToolName)
  .map((name) => {
    const { title, description, input, isReadOnly }: ToolDefinition = tools[name]
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false }
    return { name, config: { title, description, inputSchema: madeOnce(input), annotations } }
  })

/** Makes a server that offers the tools. `call` carries them out. */
export const createToolServer = (version: string, call: CallTool): McpServer => {
  const server = new McpServer(
    { name: 'hookgate', title: 'hookgate', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  for (const { name, config } of offered) {
    server.registerTool(name, config, async (args, context) => {
      const { text, isError } = await call(name, args, context.mcpReq.signal)
      return { content: [{ type: 'text', text }], ...(isError === true ? { isError } : {}) }
    })
  }
  return server
}
