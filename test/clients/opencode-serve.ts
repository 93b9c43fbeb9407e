// Runs OpenCode as a server, as its desktop program does, and says one thing to it:
// `node opencode-serve.ts <program> <port> <prompt>`. `opencode run` has no question tool.
import { spawn } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { request } from 'node:http'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

const [program = '', port = '', prompt = ''] = process.argv.slice(2)
const server = spawn(program, ['serve', '--port', port], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, OPENCODE_ENABLE_QUESTION_TOOL: '1' },
})

process.on('exit', () => server.kill())

const post = async (path: string, body: object): Promise<unknown> => {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return json(response)
}

let told = ''
await new Promise<void>((done) => {
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk
    if (told.includes('listening on')) done()
  })
})
const { id } = (await post('/session', {})) as { readonly id: string }
const said = await post(`/session/${id}/message`, { parts: [{ type: 'text', text: prompt }] })
process.stdout.write(JSON.stringify(said), () => process.exit())
