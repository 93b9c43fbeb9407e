import { z } from 'zod'
import { allowedUpdates } from '../read/message.ts'

/**
 * How many updates Telegram may send at the same time. The updates of one chat arrive one after the other.
 */
const maxConnections = 20

/** The payload of the only `setWebhook` call that the tripwire allows. */
export const setWebhookCall = (url: string, secret: string) => ({
  url,
  secret_token: secret,
  allowed_updates: allowedUpdates,
  max_connections: maxConnections,
  drop_pending_updates: false,
})
export type SetWebhookCall = ReturnType<typeof setWebhookCall>

const maxErrorUnits = 200

/** The fields of Telegram's WebhookInfo that are used. */
export const webhookInfo = z.object({
  url: z.string(),
  /** How many updates are not confirmed yet. Updates that are being sent count too. */
  pending_update_count: z.int(),
  last_error_date: z.number().optional().catch(undefined),
  /** Text from whatever program answers at the webhook URL. It is not trusted. */
  last_error_message: z
    .string()
    .transform((text) => text.slice(0, maxErrorUnits))
    .optional()
    .catch(undefined),
})
