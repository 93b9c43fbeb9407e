import { InputFile } from 'grammy'
import type { MessageEntity } from 'grammy/types'
import type { Parcel } from '../../src/model/push.ts'
import type { ChatAddress } from './chat-id.ts'
import { entitiesOf } from './entities.ts'
import type { RenderForm, Rendered } from './form.ts'
import { keyboardOf } from './keyboard.ts'
import { firstOf, maxCaptionUnits, refuseLength } from './payload.ts'

/** What Telegram takes. Source: core.telegram.org/bots/api, "Sending files". */
const maxPhotoMb = 10
const maxFileMb = 50

const refuseFile = ({ name, size }: File, what: string, mostMb: number): string | undefined => {
  // grammY writes the name into a header as it stands, and Telegram reads what follows a semicolon as another field.
  if (/[;"\r\n]/.test(name))
    return 'Expected a file name without ; and ", got one with them. Give it another name.'
  if (size === 0) return `Expected ${what} with something in it, got none. Send it when it is written.`
  return size <= mostMb * 1024 * 1024
    ? undefined
    : `Expected ${what} of at most ${mostMb} MB, got ${(Math.ceil(size / 1024 / 102.4) / 10).toFixed(1)} MB. Send a smaller one.`
}

const upload = async (file: File): Promise<InputFile> =>
  new InputFile(new Uint8Array(await file.arrayBuffer()), file.name)

const captionOf = (
  parcel: Parcel,
): { readonly caption?: string; readonly caption_entities?: MessageEntity[] } =>
  parcel.text === '' ? {} : { caption: parcel.text, caption_entities: entitiesOf(parcel) }
const refuseCaption = ({ text }: Parcel): string | undefined =>
  refuseLength('a text beside a file', text, maxCaptionUnits)

type More = ChatAddress & ReturnType<typeof captionOf> & ReturnType<typeof keyboardOf>

/** One file with its caption. */
const single =
  (what: string, mostMb: number, render: (file: InputFile, more: More) => Rendered): RenderForm =>
  async (parcel, chat) => {
    const [file] = parcel.files
    if (file === undefined) return `Expected ${what}, got none. Send one.`
    const refused = refuseCaption(parcel) ?? refuseFile(file, what, mostMb)
    return refused ?? render(await upload(file), { ...chat, ...captionOf(parcel), ...keyboardOf(parcel) })
  }

export const photo = single('a photo', maxPhotoMb, (photo, more) => ({
  method: 'sendPhoto',
  payload: { ...more, photo },
}))
export const document = single('a file', maxFileMb, (document, more) => ({
  method: 'sendDocument',
  payload: { ...more, document },
}))
export const voice = single('a voice message', maxFileMb, (voice, more) => ({
  method: 'sendVoice',
  payload: { ...more, voice },
}))

const isPhoto = ({ type }: File): boolean => type.startsWith('image/')
const isVideo = ({ type }: File): boolean => type.startsWith('video/')

/** Telegram mixes photos with videos, and neither with anything else: then all are documents. */
export const album: RenderForm = async (parcel, chat) => {
  const { files } = parcel
  const isSeen = files.every((file) => isPhoto(file) || isVideo(file))
  const refused = firstOf([
    refuseCaption(parcel),
    ...files.map((file) =>
      isSeen && isPhoto(file)
        ? refuseFile(file, 'a photo', maxPhotoMb)
        : refuseFile(file, 'a file', maxFileMb),
    ),
  ])
  if (refused !== undefined) return refused
  const uploads = await Promise.all(
    files.map(async (file, at) => ({ media: await upload(file), ...(at === 0 ? captionOf(parcel) : {}) })),
  )
  if (!isSeen)
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
