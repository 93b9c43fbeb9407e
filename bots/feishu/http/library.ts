import type { Client } from '@larksuiteoapi/node-sdk'
import type { LibraryMethods } from '../../../src/model/chat/channel.ts'
import { methods, type MethodClass } from './methods.ts'

const refused = Object.values<MethodClass>(methods).filter((one) => one === 'never').length

const membersOf = (holder: unknown): readonly (readonly [string, unknown])[] =>
  typeof holder === 'object' && holder !== null ? Object.entries(holder) : []

/**
 * Compares the methods of the installed SDK that are about messages and chats with the table in methods.ts.
 * Undefined: the SDK is not loaded.
 */
export const libraryMethods = (client: Pick<Client, 'im'> | undefined): LibraryMethods => ({
  refused,
  unnamed: membersOf(client?.im)
    .filter(([version]) => /^v\d+$/.test(version))
    .flatMap(([version, parts]) =>
      membersOf(parts).flatMap(([part, named]) =>
        membersOf(named)
          .filter(([, member]) => typeof member === 'function')
          .map(([name]) => `${version}.${part}.${name}`),
      ),
    )
    .filter((name) => !Object.hasOwn(methods, name)),
})
