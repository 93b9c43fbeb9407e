import type { MenuItem } from '../../../src/core/model/chat/channel.ts'
import { LANGUAGES, type Language } from '../../../src/core/model/chat/language.ts'

/**
 * The parameters of one call of setMyCommands. Without a language it is the menu for everybody else. A menu
 * of one chat comes before all others there.
 */
export interface MenuCall {
  readonly commands: { readonly command: string; readonly description: string }[]
  readonly language_code?: Exclude<Language, 'en'>
  readonly scope?: { readonly type: 'chat'; readonly chat_id: number }
}

const translations = LANGUAGES.filter((language) => language !== 'en')

const commandsIn = (menu: readonly MenuItem[], language: Language): MenuCall['commands'] =>
  menu.map(({ command, description, translated }) => ({
    command,
    description: translated?.[language] ?? description,
  }))

/** The menu in English for everybody, and in each other language that it has for its people. */
export const menuCalls = (menu: readonly MenuItem[]): readonly MenuCall[] => [
  { commands: commandsIn(menu, 'en') },
  ...translations
    .filter((language) => menu.some(({ translated }) => translated?.[language] !== undefined))
    .map((language) => ({ commands: commandsIn(menu, language), language_code: language })),
]

/** The menu of a chat whose people chose a language. */
export const chatMenuCall = (menu: readonly MenuItem[], chat_id: number, language: Language): MenuCall => ({
  commands: commandsIn(menu, language),
  scope: { type: 'chat', chat_id },
})

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** True for the parameters of a call that sets one of these menus, and nothing else. */
export const isMenuCall = (
  menu: readonly MenuItem[],
  payload: Readonly<Record<string, unknown>>,
): boolean => {
  if (menuCalls(menu).some((call) => isSame(payload, call))) return true
  const { scope } = payload
  const chat_id: unknown =
    typeof scope === 'object' && scope !== null ? Reflect.get(scope, 'chat_id') : undefined
  return (
    typeof chat_id === 'number' &&
    Number.isSafeInteger(chat_id) &&
    LANGUAGES.some((language) => isSame(payload, chatMenuCall(menu, chat_id, language)))
  )
}
