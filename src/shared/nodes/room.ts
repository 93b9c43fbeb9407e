import { boundsOf, descriptorLimit } from '../base/bounded-server.ts'

/** An idle node has one connection to its gate, and one that works has another one meanwhile. */
const connectionsOfNode = 2

/** For so many nodes a gate has room that may open `limit` descriptors. */
export const nodesFor = (limit = descriptorLimit()): number =>
  Math.floor(boundsOf('node', 1, limit).inAll / connectionsOfNode)

/** With this limit of open files a gate has room for so many nodes. It is simple, and never too low. */
export const descriptorsFor = (nodes: number): number => 4000 + 3 * nodes
