import type { PushType } from '../../../src/core/model/chat/content.ts'
import type { RenderForm } from './form.ts'
import { contact, location, poll, reaction, topic } from './items.ts'
import { album, document, photo, voice } from './media.ts'
import { draft, edit, message } from './text.ts'

/** The function that makes the Bot API call for each form of a push. */
export const forms: Readonly<Record<PushType, RenderForm>> = {
  text: message,
  error: message,
  edit,
  photo,
  document,
  voice,
  album,
  poll,
  location,
  contact,
  topic,
  reaction,
  draft,
}
