import { z } from 'zod'
import { nodeKey, nodeName } from '../../model/nodes/node.ts'

/** The form of a node in the ledger. */
export const NodeShape = z.strictObject({
  name: z.string().regex(nodeName),
  publicKey: z.string().regex(nodeKey),
})
