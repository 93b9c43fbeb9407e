import type { Client } from '@larksuiteoapi/node-sdk'
import type { LibraryMethods } from '../../../src/core/model/chat/channel.ts'
import { routes } from './methods.ts'

const membersOf = (holder: unknown): readonly (readonly [string, unknown])[] =>
  typeof holder === 'object' && holder !== null ? Object.entries(holder) : []

/** Counts the methods of the SDK about messages and chats that are not in methods.ts. */
export const libraryMethods = ({ im }: Pick<Client, 'im'>): LibraryMethods => ({
  refused: membersOf(im)
    .filter(([version]) => /^v\d+$/.test(version))
    .flatMap(([version, parts]) =>
      membersOf(parts).flatMap(([part, named]) =>
        membersOf(named)
          .filter(([, member]) => typeof member === 'function')
          .map(([name]) => `${version}.${part}.${name}`),
      ),
    )
    .filter((name) => !Object.hasOwn(routes, name)).length,
})
