import type { Sender } from '../http/exit.ts'
import { maxFileBytes } from '../http/exit.ts'
import { readFailure } from '../http/failure.ts'
import type { FetchFile } from './message.ts'

/** Downloads the file of a message. */
export const createFetchFile =
  (sender: Sender): FetchFile =>
  async (messageId, { key, kind }) => {
    let bytes: unknown
    try {
      bytes = await sender.request({
        method: 'GET',
        url: `/open-apis/im/v1/messages/${messageId}/resources/${key}`,
        params: { type: kind },
      })
    } catch (error) {
      if (readFailure(error).code === 'TOO_LARGE')
        throw new Error(`it is larger than ${maxFileBytes / 1_000_000} MB`, { cause: error })
    }
    if (!(bytes instanceof Uint8Array)) throw new Error('Feishu did not send it')
    return bytes
  }
