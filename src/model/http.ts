/**
 * Node's HTTP without `import … from 'node:http'`: that reads every name that the module exports, and with them loads
 * its WebSocket client: 14 MB and 25 ms for what nothing here uses.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')
