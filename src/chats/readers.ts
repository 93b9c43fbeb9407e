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

/** What the people of one chat chose, and what their client reports. */
interface Reader {
  readonly chosen?: Language
  readonly reported?: Language
  /** The name of the time zone that they chose. */
  readonly zone?: string
  /** The name of the time zone of their client. Only the web page reports it. */
  readonly reportedZone?: string
}

export interface ReadersPorts {
  /** The time zone of everybody who chose none and whose client reports none. */
  readonly zone: Zone
  recall(): Promise<string | undefined>
  remember(readers: string): Promise<void>
  log(level: 'warn', what: string): void
}

const readLanguage = (value: unknown): Language | undefined =>
  LANGUAGES.find((language) => language === value)

const readZone = (value: unknown): string | undefined =>
  typeof value === 'string' ? zoneName(value) : undefined

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

  /** The client of a person in the chat reports its language, and perhaps its time zone. */
  const report = (address: Address, tag: string | undefined, zone = ''): void => {
    const before = readers.get(chatKey(address))
    const reported = languageOf(tag) ?? before?.reported
    const reportedZone = zoneName(zone) ?? before?.reportedZone
    if (reported !== before?.reported || reportedZone !== before?.reportedZone)
      set(address, { reported, reportedZone })
  }

  return {
    languageOf: (address: Address): Language => {
      const { chosen, reported } = readers.get(chatKey(address)) ?? {}
      return chosen ?? reported ?? strangers.get(chatKey(address)) ?? 'en'
    },
    zoneOf: (address: Address): Zone => {
      const { zone, reportedZone } = readers.get(chatKey(address)) ?? {}
      const name = zone ?? reportedZone
      return name === undefined ? ports.zone : { name, isOwn: true }
    },
    /** A person of the chat typed `/tz`. Undefined: they want the machine's time zone. */
    chooseZone: (address: Address, name: string | undefined): void => {
      const isReported = readers.get(chatKey(address))?.reportedZone !== undefined
      set(address, { zone: name ?? (isReported ? ports.zone.name : undefined) })
    },
    /** The chats of a messenger whose people chose a language, the latest first. */
    chosenIn: (channel: string): readonly { readonly chat_id: string; readonly language: Language }[] =>
      [...readers].toReversed().flatMap(([key, { chosen }]) => {
        const chat_id = key.startsWith(chatKey({ channel, chat_id: '' }))
          ? key.slice(channel.length + 1)
          : undefined
        return chat_id === undefined || chosen === undefined ? [] : [{ chat_id, language: chosen }]
      }),
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
        const [zone, reportedZone] = [readZone(reader['zone']), readZone(reader['reportedZone'])]
        readers.set(key, { chosen, reported, zone, reportedZone })
      }
    },
  }
}

export type Readers = ReturnType<typeof createReaders>
