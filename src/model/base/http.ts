/**
 * Node's HTTP without `import … from 'node:http'`. That import reads every exported name of the module and so
 * loads its WebSocket client: 14 MB and 25 ms for code that is not used here.
 */
const http = process.getBuiltinModule('node:http')
/** Only `bounded-server.ts` may use `createServer`: a listener without limits can use up every descriptor. */
export const { Agent, createServer, request } = http

export type Server = ReturnType<typeof createServer>
export type IncomingMessage = InstanceType<typeof http.IncomingMessage>
export type ServerResponse = InstanceType<typeof http.ServerResponse>
export type Socket = IncomingMessage['socket']
