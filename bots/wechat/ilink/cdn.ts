import { randomBytes } from 'node:crypto'
import { nameOf, SendLater } from '../outcome.ts'
import type { FileBytes } from '../file.ts'
import { ILinkError, readBounded, retOf, type Access } from './client.ts'
import type { ILinkContext } from './context.ts'
import { decrypt, MAX_CIPHER_BYTES, MAX_FILE_BYTES, uploadOf, type InboundFile } from './media.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'

/** The server where WeChat stores the files of chats (Tencent/openclaw-weixin, src/auth/accounts.ts). */
export const CDN_ROOT = 'https://novac2c.cdn.weixin.qq.com/c2c'

/**
 * Uploads and downloads files. Nobody sees an uploaded file before a message names it, so a broken upload may
 * be repeated.
 */
export const createCdn = ({ client, times }: Pick<ILinkContext, 'client' | 'times'>, root: string) => {
  const home = new URL(root)

  /**
   * The URL of a transfer. WeChat's URL is used only when it is on the known server. Otherwise the URL is
   * made from `query`.
   */
  const urlOf = (
    given: string,
    verb: 'upload' | 'download',
    query: Readonly<Record<string, string>>,
  ): URL => {
    const named = given === '' ? undefined : URL.parse(given)
    if (named?.origin === home.origin && named.username === '' && named.password === '') return named
    if (query['encrypted_query_param'] === '')
      throw new ILinkError('cdn', 'Expected a URL of WeChat’s file server, got another one.')
    const url = new URL(`${root}/${verb}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  const transfer = async (url: URL, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(times.transferMs),
    })
    if (response.ok) return response
    await response.body?.cancel().catch(() => undefined)
    throw new ILinkError(
      response.status >= 500 ? 'EPROTO' : `cdn${response.status}`,
      `Expected WeChat’s file server to transfer the file, got HTTP ${response.status}.`,
    )
  }

  /** Turns an error of an upload into `SendLater`, unless a repetition would fail again. */
  const rethrowAsLater = (error: unknown): never => {
    const code = error instanceof ILinkError ? error.code : ''
    const isLimit = code.endsWith('429')
    if (code !== '' && code !== 'EPROTO' && !isLimit) throw error
    throw new SendLater(`WeChat did not accept the file yet (${nameOf(error)}).`, times.backoffMs, isLimit)
  }

  return {
    /**
     * Uploads a file and gives the item of the message, or WeChat's error number. Rejects with `SendLater`
     * when the upload may be repeated.
     */
    upload: async (
      access: Access,
      to: string,
      file: FileBytes,
    ): Promise<{ readonly item: JsonObject } | { readonly ret: number }> => {
      if (file.bytes.length === 0 || file.bytes.length > MAX_FILE_BYTES)
        throw new ILinkError(
          'size',
          `Expected a file of 1 to ${MAX_FILE_BYTES} bytes, got ${file.bytes.length}.`,
        )
      const { request, fileKey, ciphertext, item } = uploadOf(to, file, {
        key: randomBytes(16),
        fileKey: randomBytes(16),
      })
      const answer = await client.post(access, 'getuploadurl', request).catch(rethrowAsLater)
      const ret = retOf(answer)
      if (ret !== 0) return { ret }
      const [param, full] = [answer['upload_param'], answer['upload_full_url']].map((value) =>
        typeof value === 'string' ? value.trim() : '',
      ) as [string, string]
      const url = urlOf(full, 'upload', { encrypted_query_param: param, filekey: fileKey })
      const response = await transfer(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: new Uint8Array(ciphertext),
      }).catch(rethrowAsLater)
      await response.body?.cancel().catch(() => undefined)
      const storageParam = response.headers.get('x-encrypted-param') ?? ''
      if (!/^[\x21-\x7e]{1,8192}$/.test(storageParam))
        throw new ILinkError('cdn', 'Expected WeChat to return the parameter of the uploaded file, got none.')
      return { item: item(storageParam) }
    },

    download: async ({ storageParam, url, key, size = 0 }: InboundFile): Promise<Buffer> => {
      if (size > MAX_FILE_BYTES)
        throw new ILinkError('size', `Expected a file of at most ${MAX_FILE_BYTES} bytes, got a larger one.`)
      const response = await transfer(urlOf(url, 'download', { encrypted_query_param: storageParam }), {
        method: 'GET',
      })
      const bytes = await readBounded(response, MAX_CIPHER_BYTES)
      return key === undefined ? bytes : decrypt(bytes, key)
    },
  }
}

export type Cdn = ReturnType<typeof createCdn>
