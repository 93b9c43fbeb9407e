import { isObject, type Json } from '../../core/model/base/json.ts'
import { at } from './canary.ts'
import { fileOf, type ClientPlaces, type Installation, type Setting } from './client.ts'
import { INSTALLATIONS } from './clients.ts'
import { isOurs } from './json-hooks.ts'
import { readJsonc, valueOf } from './jsonc.ts'
import { readSettings } from './settings-file.ts'

/** A setting by which a client skips the hooks of hookgate. */
export interface SwitchedOff {
  readonly client: string
  readonly title: string
  readonly file: string
  /** The setting as the file has it, such as `disableAllHooks: true`. */
  readonly setting: string
  /** Only hooks of the administrator's file still run, and hookgate has none there. */
  readonly isManagedOnly: boolean
}

interface ReadFile {
  readonly file: string
  readonly value: Json
  /** It has hooks of hookgate. */
  readonly isOurs: boolean
}

const readFor = (
  client: string,
  installation: Installation,
  scope: 'user' | 'managed',
  places: ClientPlaces,
): ReadFile | undefined => {
  const named = fileOf(installation, scope, places)
  if ('none' in named) return undefined
  try {
    const { text } = readSettings(named.path)
    if (text === undefined) return undefined
    const value = valueOf(readJsonc(text.replace(/^\uFEFF/, '')))
    const hooks = at(value, ['hooks'])
    const lists = isObject(hooks) ? Object.values(hooks) : []
    return {
      file: named.path,
      value,
      isOurs: lists.some((list) => Array.isArray(list) && list.some(isOurs(client))),
    }
  } catch {
    // The client cannot read such a file either, or this user may not.
    return undefined
  }
}

/** The same for one client. */
export const switchedOffFor = (
  client: string,
  installation: Installation,
  places: ClientPlaces,
): readonly SwitchedOff[] => {
  const { title, off, managedOnly } = installation
  const own = readFor(client, installation, 'user', places)
  const managed = readFor(client, installation, 'managed', places)
  const isManaged = managed?.isOurs === true
  if (own?.isOurs !== true && !isManaged) return []
  const found = (
    read: ReadFile | undefined,
    setting: Setting | undefined,
    isManagedOnly: boolean,
  ): readonly SwitchedOff[] =>
    read !== undefined && setting !== undefined && at(read.value, setting.path) === setting.value
      ? [
          {
            client,
            title,
            file: read.file,
            setting: `${setting.path.join('.')}: ${setting.value}`,
            isManagedOnly,
          },
        ]
      : []
  return [
    ...found(managed, off, false),
    // Hooks of the administrator's file run all the same.
    ...(isManaged ? [] : [...found(own, off, false), ...found(managed, managedOnly, true)]),
  ]
}

/** The settings of this machine by which clients that were put behind the gate skip its hooks. */
export const switchedOff = (places: ClientPlaces): readonly SwitchedOff[] =>
  Object.entries<Installation>(INSTALLATIONS)
    .filter(([, { body }]) => body.kind === 'hooks')
    .flatMap(([client, installation]) => switchedOffFor(client, installation, places))

/** True when the user's own settings of a client send its hooks to this port of the gate. */
export const asksOverHttp = (port: number, places: ClientPlaces): boolean =>
  Object.values(INSTALLATIONS).some((installation) => {
    const named = fileOf(installation, 'user', places)
    if (installation.takesHttp !== true || 'none' in named) return false
    try {
      return readSettings(named.path).text?.includes(`127.0.0.1:${port}/bridge/`) ?? false
    } catch {
      return false
    }
  })
