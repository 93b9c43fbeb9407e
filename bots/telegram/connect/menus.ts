import type { MenuItem } from '../../../src/core/model/chat/channel.ts'
import { LANGUAGES, type Language } from '../../../src/core/model/chat/language.ts'

/** The parameters of one call of setMyCommands. Without a language it is the menu for everybody else. */
export interface MenuCall {
  readonly commands: { readonly command: string; readonly description: string }[]
  readonly language_code?: Exclude<Language, 'en'>
}

const translations = LANGUAGES.filter((language) => language !== 'en')

/** The menu in English for everybody, and in each other language that it has for its people. */
export const menuCalls = (menu: readonly MenuItem[]): readonly MenuCall[] => [
  { commands: menu.map(({ command, description }) => ({ command, description })) },
  ...translations
    .filter((language) => menu.some(({ translated }) => translated?.[language] !== undefined))
    .map((language) => ({
      commands: menu.map(({ command, description, translated }) => ({
        command,
        description: translated?.[language] ?? description,
      })),
      language_code: language,
    })),
]
