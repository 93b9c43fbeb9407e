import { z } from 'zod'
import { allowedUpdates } from './read.ts'

/** So many updates at once, each of another chat: those of one chat Telegram gives one after the other. */
const maxConnections = 20

/** The one `setWebhook` that leaves. */
export const setWebhookCall = (url: string, secret: string) => ({
  url,
  secret_token: secret,
  allowed_updates: allowedUpdates,
  max_connections: maxConnections,
  drop_pending_updates: false,
})
export type SetWebhookCall = ReturnType<typeof setWebhookCall>

const maxSaid = 200

/** What is read of Telegram's WebhookInfo. */
export const webhookInfo = z.object({
  url: z.string(),
  /** Updates that nobody confirmed yet, those under way included. */
  pending_update_count: z.int(),
  last_error_date: z.number().optional().catch(undefined),
  /** Foreign words, of whatever answers at the address. */
  last_error_message: z
    .string()
    .transform((text) => text.slice(0, maxSaid))
    .optional()
    .catch(undefined),
})
