import { languageOf } from '../../../core/model/chat/language.ts'
import { prose } from '../../../core/model/chat/prose.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { shorten } from '../../words.ts'

/** Each language by its own name. A reader who took the wrong one finds the way back. */
const waysBack = prose`English → /lang en\n中文 → /lang zh`

export const languageCommand = ({ readers }: CommandPorts): Command => ({
  path: 'lang',
  usage: '/lang en|zh',
  summary: 'the language of hookgate in this chat: English or 中文',
  need: 'person',
  run: (rest, { address }) => {
    const typed = rest.trim()
    if (typed === '') return prose`hookgate writes English here.\n${waysBack}`
    const language = languageOf(typed)
    if (language === undefined) return prose`hookgate does not speak ${shorten(typed, 20)}.\n${waysBack}`
    readers.choose(address, language)
    return prose`hookgate writes English in this chat from now on.`
  },
})
