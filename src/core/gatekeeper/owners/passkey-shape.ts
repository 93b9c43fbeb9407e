import { z } from 'zod'

/** The form of a passkey in the ledger. The lengths are far above those of real devices. */
export const PasskeyShape = z.strictObject({
  id: z.string().regex(/^[\w-]{1,1400}$/),
  owner: z.string().max(240),
  rpId: z.string().max(253),
  publicKey: z.string().regex(/^[\w-]{1,6000}$/),
  transports: z.array(z.string().max(40)).max(10).readonly().exactOptional(),
})
