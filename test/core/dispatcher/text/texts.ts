import { messengerAddresses } from '../../../../src/chats/messenger-addresses.ts'
import { clean as cleanWith } from '../../../../src/core/dispatcher/text/clean.ts'
import { flawOf as flawWith } from '../../../../src/core/dispatcher/text/content.ts'
import { createMessengerLinks } from '../../../../src/core/dispatcher/text/messenger-links.ts'
import { commandRanges as rangesWith } from '../../../../src/core/dispatcher/text/text.ts'
import type { Content } from '../../../../src/core/model/chat/content.ts'

/** The links of all messengers, and texts as the gate reads them with these. */
export const links = createMessengerLinks(messengerAddresses)
export const clean = <C extends Content>(content: C): C => cleanWith(content, links)
export const flawOf = (content: Content) => flawWith(content, links)
export const commandRanges = (text: string) => rangesWith(text, links)
