import { z } from 'zod'
import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { refuseFileSize } from '../../../src/shared/chat/connection.ts'
import { idForm } from '../http/methods.ts'
import { deliveryOf, type Call } from './call.ts'

/** Feishu's limits, in MB of 1024 × 1024 bytes. Source: the pages "Upload image" and "Upload file". */
const maxImageMb = 10
const maxFileMb = 30

const imageSchema = z.object({ data: z.object({ image_key: z.string().regex(idForm) }) })
const fileSchema = z.object({ data: z.object({ file_key: z.string().regex(idForm) }) })

/** A file that Feishu has, as the content of a message. */
export interface Uploaded {
  readonly msg_type: 'image' | 'file' | 'audio'
  readonly key: string
}

/** Feishu shows these kinds of pictures. Every other one is a file. Source: the page "Upload image". */
export const isImage = ({ type }: File): boolean =>
  /^image\/(?:png|jpeg|webp|gif|tiff|bmp|x-icon|vnd\.microsoft\.icon)\b/i.test(type)

/** Feishu plays this kind of sound only. Every other sound is a file. */
const isOpus = ({ type, name }: File): boolean =>
  /^audio\/(?:ogg|opus)\b/.test(type) && /\.(?:ogg|opus|oga)$/i.test(name)

/** Says why a file is refused before it is sent. `asFile`: a picture is sent as a file. */
export const refuseFile = (file: File, asFile: boolean): string | undefined => {
  return isImage(file) && !asFile
    ? refuseFileSize(file, 'a photo', maxImageMb)
    : refuseFileSize(file, 'a file', maxFileMb)
}

/** Uploads a file. Nobody sees it yet, so a second upload does no harm. `asFile`: also for pictures. */
export const upload = async (
  call: Call,
  file: File,
  secrets: readonly string[],
  { asFile, asVoice }: { readonly asFile: boolean; readonly asVoice: boolean },
): Promise<Uploaded | FailedDelivery> => {
  const isPicture = isImage(file) && !asFile
  const isVoice = asVoice && isOpus(file)
  const sent = await call(
    isPicture
      ? { route: 'v1.image.create', form: { image_type: 'message', image: file } }
      : {
          route: 'v1.file.create',
          form: { file_type: isVoice ? 'opus' : 'stream', file_name: file.name, file },
        },
    secrets,
  )
  if ('failure' in sent) return deliveryOf(sent.failure, true)
  const key = isPicture
    ? imageSchema.safeParse(sent.value).data?.data.image_key
    : fileSchema.safeParse(sent.value).data?.data.file_key
  if (key === undefined)
    return {
      kind: 'failed',
      why: 'Expected Feishu to name the uploaded file, got something else. Send it again.',
    }
  return { msg_type: isPicture ? 'image' : isVoice ? 'audio' : 'file', key }
}
