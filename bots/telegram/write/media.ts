import { InputFile } from 'grammy'
import type { MessageEntity } from 'grammy/types'
import { refuseFileSize } from '../../../src/shared/chat/connection.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import type { ChatAddress } from '../chat-id.ts'
import { entitiesOf } from './entities.ts'
import type { RenderForm, Rendered } from './form.ts'
import { keyboardOf } from './keyboard.ts'
import { firstOf, maxCaptionUnits, refuseLength } from './payload.ts'

/** Telegram's limits, in MB of 1024 × 1024 bytes. Source: core.telegram.org/bots/api, "Sending files". */
const maxPhotoMb = 10
const maxFileMb = 50

const refuseFile = (file: File, what: string, maxMb: number): string | undefined =>
  // grammY writes the name into a header without escaping it. Telegram reads the text after a semicolon as
  // another field.
  /[;"\r\n]/.test(file.name)
    ? 'Expected a file name without ; and ", got one that has them. Rename the file.'
    : refuseFileSize(file, what, maxMb)

const upload = async (file: File): Promise<InputFile> =>
  new InputFile(new Uint8Array(await file.arrayBuffer()), file.name)

const captionOf = (
  outgoing: OutgoingMessage,
): { readonly caption?: string; readonly caption_entities?: MessageEntity[] } =>
  outgoing.text === '' ? {} : { caption: outgoing.text, caption_entities: entitiesOf(outgoing) }

const refuseCaption = ({ text }: OutgoingMessage): string | undefined =>
  refuseLength('a text beside a file', text, maxCaptionUnits)

type CommonFields = ChatAddress & ReturnType<typeof captionOf> & ReturnType<typeof keyboardOf>

/** Makes the function for a push of one file with a caption. */
const single =
  (what: string, maxMb: number, render: (file: InputFile, fields: CommonFields) => Rendered): RenderForm =>
  async (outgoing, chat) => {
    const [file] = outgoing.files
    if (file === undefined) return `Expected ${what}, got none. Send one.`
    const refused = refuseCaption(outgoing) ?? refuseFile(file, what, maxMb)
    return refused ?? render(await upload(file), { ...chat, ...captionOf(outgoing), ...keyboardOf(outgoing) })
  }

export const photo = single('a photo', maxPhotoMb, (photo, fields) => ({
  method: 'sendPhoto',
  payload: { ...fields, photo },
}))

export const document = single('a file', maxFileMb, (document, fields) => ({
  method: 'sendDocument',
  payload: { ...fields, document },
}))

export const voice = single('a voice message', maxFileMb, (voice, fields) => ({
  method: 'sendVoice',
  payload: { ...fields, voice },
}))

const isPhoto = ({ type }: File): boolean => type.startsWith('image/')
const isVideo = ({ type }: File): boolean => type.startsWith('video/')

/**
 * An album of photos and videos. Telegram cannot mix these with other files, so with any other file all are
 * sent as documents.
 */
export const album: RenderForm = async (outgoing, chat) => {
  const { files } = outgoing
  const isVisual = files.every((file) => isPhoto(file) || isVideo(file))
  const refused = firstOf([
    refuseCaption(outgoing),
    ...files.map((file) =>
      isVisual && isPhoto(file)
        ? refuseFile(file, 'a photo', maxPhotoMb)
        : refuseFile(file, 'a file', maxFileMb),
    ),
  ])
  if (refused !== undefined) return refused
  const uploads = await Promise.all(
    files.map(async (file, at) => ({ media: await upload(file), ...(at === 0 ? captionOf(outgoing) : {}) })),
  )
  if (!isVisual)
    return {
      method: 'sendMediaGroup',
      payload: { ...chat, media: uploads.map((item) => ({ type: 'document' as const, ...item })) },
    }
  const media = uploads.map((item, at) => ({
    type: files[at] !== undefined && isPhoto(files[at]) ? ('photo' as const) : ('video' as const),
    ...item,
  }))
  return { method: 'sendMediaGroup', payload: { ...chat, media } }
}
