import { randomBytes } from 'node:crypto'
import { nameOf, SendLater } from '../outcome.ts'
import type { FileBytes } from '../file.ts'
import { ILinkError, readBounded, retOf, type Access, type Client } from './client.ts'
import { decrypt, MAX_CIPHER_BYTES, MAX_FILE_BYTES, uploadOf, type InboundFile } from './media.ts'
import type { JsonObject } from '../../../src/model/json.ts'

/** Where WeChat keeps the files of chats (Tencent/openclaw-weixin, src/auth/accounts.ts). */
export const CDN_ROOT = 'https://novac2c.cdn.weixin.qq.com/c2c'

const TRANSFER_TIMEOUT_MS = 60_000

export interface CdnPorts {
  readonly client: Client
  readonly root: string
  readonly timeoutMs?: number
  /** After a try that left nothing behind. */
  readonly slowMs: number
}

/** Files up and down. What went up is seen by nobody until a message names it, so an upload that broke may be done again. */
export const createCdn = ({ client, root, slowMs, timeoutMs = TRANSFER_TIMEOUT_MS }: CdnPorts) => {
  const home = new URL(root)

  /** WeChat's own words for the address are taken only if they name the one server that is known. */
  const addressOf = (
    address: string,
    verb: 'upload' | 'download',
    query: Readonly<Record<string, string>>,
  ): URL => {
    const given = address === '' ? undefined : URL.parse(address)
    if (given?.origin === home.origin && given.username === '' && given.password === '') return given
    if (query['encrypted_query_param'] === '')
      throw new ILinkError('cdn', 'Expected an address of WeChat’s server for files, got another one.')
    const url = new URL(`${root}/${verb}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  const transfer = async (url: URL, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
    if (response.ok) return response
    await response.body?.cancel().catch(() => undefined)
    throw new ILinkError(
      response.status >= 500 ? 'EPROTO' : `cdn${response.status}`,
      `Expected WeChat’s server for files to do it, got HTTP ${response.status}.`,
    )
  }

  const later = (error: unknown): never => {
    const code = error instanceof ILinkError ? error.code : ''
    const isLimit = code.endsWith('429')
    if (code !== '' && code !== 'EPROTO' && !isLimit) throw error
    throw new SendLater(`WeChat did not take the file yet (${nameOf(error)}).`, slowMs, isLimit)
  }

  return {
    /** The item of a message; or what WeChat answered in place of an address. Rejects with `SendLater` where it may be done again. */
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
      const answer = await client.post(access, 'getuploadurl', request).catch(later)
      const ret = retOf(answer)
      if (ret !== 0) return { ret }
      const [param, full] = [answer['upload_param'], answer['upload_full_url']].map((value) =>
        typeof value === 'string' ? value.trim() : '',
      ) as [string, string]
      const url = addressOf(full, 'upload', { encrypted_query_param: param, filekey: fileKey })
      const response = await transfer(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: new Uint8Array(ciphertext),
      }).catch(later)
      await response.body?.cancel().catch(() => undefined)
      const place = response.headers.get('x-encrypted-param') ?? ''
      if (!/^[\x21-\x7e]{1,8192}$/.test(place))
        throw new ILinkError('cdn', 'Expected the place of the file, got none.')
      return { item: item(place) }
    },

    download: async ({ place, address, key, size = 0 }: InboundFile): Promise<Buffer> => {
      if (size > MAX_FILE_BYTES)
        throw new ILinkError('size', `Expected a file of at most ${MAX_FILE_BYTES} bytes, got a larger one.`)
      const response = await transfer(addressOf(address, 'download', { encrypted_query_param: place }), {
        method: 'GET',
      })
      const bytes = await readBounded(response, MAX_CIPHER_BYTES)
      return key === undefined ? bytes : decrypt(bytes, key)
    },
  }
}

export type Cdn = ReturnType<typeof createCdn>
