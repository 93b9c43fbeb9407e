/**
 * Node's HTTP without `import … from 'node:http'`: that reads every name that the module exports, and with them loads
 * its WebSocket client: 14 MB and 25 ms for what nothing here uses.
 */
const http = process.getBuiltinModule('node:http')
/** `createServer` is for `bounded-server.ts` alone: a listener without bounds can take every descriptor. */
export const { Agent, createServer, request } = http

export type Server = ReturnType<typeof createServer>
export type IncomingMessage = InstanceType<typeof http.IncomingMessage>
export type ServerResponse = InstanceType<typeof http.ServerResponse>
export type Socket = IncomingMessage['socket']
