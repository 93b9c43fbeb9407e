import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import { isObject, parseJson } from '../core/model/base/json.ts'
import type { Message } from '../core/model/chat/channel.ts'
import { LANGUAGES, languageOf, type Language } from '../core/model/chat/language.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { Zone } from '../core/model/chat/zone.ts'
import { zoneName } from '../shared/chat/zone.ts'

/** The number of chats whose language is remembered. The one that wrote longest ago is forgotten first. */
const maxReaders = 1000
/** The number of strangers whose language is remembered, and never stored. They push no reader out. */
const maxStrangers = 100

/** The languages of one chat: the one that its people chose, and the one that their client reports. */
interface Reader {
  readonly chosen?: Language
  readonly reported?: Language
  /** The name of the time zone that they chose. */
  readonly zone?: string
}

export interface ReadersPorts {
  /** The time zone of everybody who chose none. */
  readonly zone: Zone
  recall(): Promise<string | undefined>
  remember(readers: string): Promise<void>
  log(level: 'warn', what: string): void
}

const readLanguage = (value: unknown): Language | undefined =>
  LANGUAGES.find((language) => language === value)

/**
 * Knows the language and the time zone in which the people of a chat read our words. The language is English
 * until they or their client name another one.
 */
export const createReaders = (ports: ReadersPorts) => {
  const readers = new Map<string, Reader>()
  const strangers = createBoundedMap<string, Language>(maxStrangers)

  const set = (address: Address, change: Reader): void => {
    const key = chatKey(address)
    const reader = { ...readers.get(key), ...change }
    readers.delete(key)
    readers.set(key, reader)
    const oldest = readers.size > maxReaders ? readers.keys().next().value : undefined
    if (oldest !== undefined) readers.delete(oldest)
    ports
      .remember(JSON.stringify([...readers]))
      .catch(() => ports.log('warn', 'the languages and time zones of the chats could not be saved'))
  }

  /** The client of a person in the chat reports its language. */
  const report = (address: Address, tag: string | undefined): void => {
    const reported = languageOf(tag)
    if (reported !== undefined && readers.get(chatKey(address))?.reported !== reported)
      set(address, { reported })
  }

  return {
    languageOf: (address: Address): Language => {
      const { chosen, reported } = readers.get(chatKey(address)) ?? {}
      return chosen ?? reported ?? strangers.get(chatKey(address)) ?? 'en'
    },
    zoneOf: (address: Address): Zone => {
      const name = readers.get(chatKey(address))?.zone
      return name === undefined ? ports.zone : { name, isOwn: true }
    },
    /** A person of the chat typed `/tz`. Undefined: they want the machine's time zone. */
    chooseZone: (address: Address, name: string | undefined): void => {
      const { chosen, reported } = readers.get(chatKey(address)) ?? {}
      readers.delete(chatKey(address))
      set(address, { chosen, reported, zone: name })
    },
    /** The language that a person of the chat chose. */
    chosenOf: (address: Address): Language | undefined => readers.get(chatKey(address))?.chosen,
    /** A person of the chat typed `/lang`. */
    choose: (address: Address, language: Language): void => set(address, { chosen: language }),
    report,
    /** The client of the sender reports a language with a message. */
    note: ({ channel, chat_id, language }: Message): void => report({ channel, chat_id }, language),
    /** A stranger wrote, who may pair with this message. The answer is in the language of their client. */
    meet: ({ channel, chat_id, language, isPrivate }: Message): void => {
      const reported = languageOf(language)
      if (reported !== undefined && isPrivate) strangers.set(chatKey({ channel, chat_id }), reported)
    },
    restore: async (): Promise<void> => {
      const stored = parseJson((await ports.recall()) ?? '[]')
      for (const pair of Array.isArray(stored) ? stored.slice(-maxReaders) : []) {
        const [key, reader] = Array.isArray(pair) ? pair : []
        if (typeof key !== 'string' || !isObject(reader)) continue
        const [chosen, reported] = [readLanguage(reader['chosen']), readLanguage(reader['reported'])]
        const zone = typeof reader['zone'] === 'string' ? zoneName(reader['zone']) : undefined
        readers.set(key, { chosen, reported, zone })
      }
    },
  }
}

export type Readers = ReturnType<typeof createReaders>
