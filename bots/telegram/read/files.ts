import type { Api } from 'grammy'
import { z } from 'zod'
import { readAtMost } from '../../../src/shared/base/http.ts'
import type { InboundFile } from '../../../src/core/model/chat/channel.ts'
import { type Timers, within } from '../timers.ts'

/** A bot cannot download a larger file from Telegram. Source: core.telegram.org/bots/api#getfile. */
export const maxFileBytes = 20 * 1000 * 1000
const timeoutMs = 60_000
const maxRemembered = 1000

/** The form of Telegram's file ids. */
export const fileId = /^[A-Za-z0-9_-]{1,200}$/
/** A path such as `photos/file_0.jpg`. It has no empty part and no `..`. */
const filePath = /^\w[\w-]{0,60}(?:\/\w[\w.-]{0,200}){1,4}$/

const fileSchema = z.object({
  file_id: z.string().regex(fileId),
  file_size: z.int().nonnegative().optional().catch(undefined),
  file_name: z.string().optional().catch(undefined),
  mime_type: z.string().max(100).optional().catch(undefined),
})
const optionalFile = fileSchema.optional().catch(undefined)
/** The fields of a message that hold a file. A field that cannot be read counts as absent. */
export const fileFields = {
  photo: z.array(fileSchema).optional().catch(undefined),
  document: optionalFile,
  voice: optionalFile,
  audio: optionalFile,
  video: optionalFile,
  video_note: optionalFile,
}
type FileFields = z.infer<z.ZodObject<typeof fileFields>>

/**
 * Downloads the bytes of a file. `size` is in bytes. Rejects with a text for a person, which contains neither
 * the URL nor the token.
 */
export type FetchFile = (fileId: string, size: number) => Promise<Uint8Array>

/** The files of a message. A message has at most one. The last size of a photo is the largest. */
export const filesIn = (raw: FileFields, fetchFile: FetchFile): readonly InboundFile[] => {
  const found = [
    { file: raw.photo?.at(-1), name: 'photo.jpg', type: 'image/jpeg' },
    { file: raw.document, name: 'file', type: 'application/octet-stream' },
    { file: raw.voice, name: 'voice.ogg', type: 'audio/ogg' },
    { file: raw.audio, name: 'audio.mp3', type: 'audio/mpeg' },
    { file: raw.video, name: 'video.mp4', type: 'video/mp4' },
    { file: raw.video_note, name: 'video.mp4', type: 'video/mp4' },
  ]
  return found.flatMap(({ file, name, type }) => {
    if (file === undefined) return []
    const size = file.file_size ?? 0
    return [
      {
        name: file.file_name ?? name,
        type: file.mime_type ?? type,
        size,
        bytes: () => fetchFile(file.file_id, size),
      },
    ]
  })
}

interface FilePorts {
  readonly api: Api
  readonly apiRoot: string
  readonly token: string
  readonly timers: Timers
}

const tooLarge = `it is larger than ${maxFileBytes / 1_000_000} MB, which a bot cannot download from Telegram`

/** Downloads files. It asks Telegram only for the ids of files that an update contained. */
export const createFiles = ({ api, apiRoot, token, timers }: FilePorts) => {
  const known = new Set<string>()

  const fetchFile: FetchFile = async (id, size) => {
    if (size > maxFileBytes) throw new Error(tooLarge)
    known.add(id)
    for (const oldest of known.values().take(Math.max(0, known.size - maxRemembered))) known.delete(oldest)
    const downloaded = await within(timers, timeoutMs, async (signal) => {
      const { file_path: path } = await api.raw.getFile({ file_id: id }, signal)
      if (path === undefined || !filePath.test(path)) return undefined
      const response = await fetch(`${apiRoot}/file/bot${token}/${path}`, {
        redirect: 'error',
        signal: signal as unknown as AbortSignal,
      })
      return response.ok ? ((await readAtMost(response, maxFileBytes)) ?? 'too large') : undefined
      // The error of a connection contains the URL and with it the token, so the error is dropped.
    }).catch(() => undefined)
    if (downloaded === undefined) throw new Error('Telegram did not send it')
    if (downloaded === 'too large') throw new Error(tooLarge)
    return downloaded
  }
  return { fetchFile, isKnown: (id: unknown): boolean => typeof id === 'string' && known.has(id) }
}
