import { join } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'

/** `managed`: the file of the administrator, which the client's users cannot change. */
export type Scope = 'user' | 'project' | 'managed'

export interface ClientPlaces {
  /** The home folder of the person. */
  readonly home: string
  /** The folder for `--project`. */
  readonly project: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The machine, for `--managed`. `root` is the folder above `/etc`. */
  readonly machine: { readonly root: string; readonly platform: NodeJS.Platform }
}

/** The way in which the client reaches the gate for one event. */
export type Reach =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** One event that gets an entry. */
export interface Hooked {
  readonly event: string
  /**
   * The time limit of the client, in seconds. The bridge answers earlier, because every client takes a
   * timeout for consent.
   */
  readonly seconds: number
  /** True when the client waits for an answer that can refuse. */
  readonly isGate?: true
  /** True when the client treats a missing answer as a refusal. Absent: the same as `isGate`. */
  readonly failsClosed?: true
  /** True when the client takes no HTTP hook here, or none that fails closed. */
  readonly isCommandOnly?: true
}

/** The content of the client's file. */
export type Body =
  /**
   * A JSON object with `hooks`, which maps events to lists. It may have comments. `fresh` is the content of a
   * new file.
   */
  | { readonly kind: 'hooks'; readonly fresh: JsonObject; entry(hooked: Hooked, reach: Reach): JsonObject }
  /** Lines between two markers in a TOML file. */
  | { readonly kind: 'block'; text(hooked: Hooked, command: string): string }
  /** A file that holds only hookgate's text. `plugin` is the source that hookgate ships for OpenCode. */
  | {
      readonly kind: 'file'
      text(hooked: readonly Hooked[], command: (hooked: Hooked) => string, plugin: string): string
    }

export interface Setting {
  readonly path: readonly string[]
  readonly value: boolean
}

/** The settings file of one client, and what the person has to know about it. */
export interface Installation {
  readonly title: string
  /** Returns the path of the file, or the reason why there is none. */
  file(
    scope: Exclude<Scope, 'managed'>,
    places: ClientPlaces,
  ): { readonly path: string } | { readonly none: string }
  /** The administrator's file, by system, below the root. Absent: hookgate knows none. */
  readonly managed?: { readonly linux: string; readonly darwin: string }
  readonly events: readonly Hooked[]
  readonly body: Body
  readonly takesHttp?: true
  /** The setting that turns all hooks off, also those of hookgate. */
  readonly off?: Setting
  /** The setting of the administrator's file that turns off all hooks but those of that file. */
  readonly managedOnly?: Setting
  /** Returns what only the person can do, or should know, one line each. */
  steps(scope: Scope): readonly string[]
  /**
   * A tool call that the gate always refuses, in the format of this client, and the path of the refusal in
   * its answer.
   */
  readonly canary: {
    readonly event: string
    readonly payload: JsonObject
    readonly denial: readonly string[]
  }
}

/** The name of a tool that no agent has. The gate always refuses it, so that a person sees a refusal work. */
export const canaryTool = 'hookgate-canary'
export const canaryWords = 'hookgate refuses its canary, whatever hooks say'

/** The file that a scope means, or the reason why there is none. */
export const fileOf = (
  { title, file, managed }: Installation,
  scope: Scope,
  places: ClientPlaces,
): { readonly path: string } | { readonly none: string } => {
  if (scope !== 'managed') return file(scope, places)
  const { root, platform } = places.machine
  if (managed === undefined) return { none: `hookgate knows no administrator’s file of ${title}` }
  return { path: join(root, managed[platform === 'darwin' ? 'darwin' : 'linux']) }
}

/** Events for which the client waits for an answer that can refuse. */
export const gates = (seconds: number, ...events: readonly string[]): readonly Hooked[] =>
  events.map((event) => ({ event, seconds, isGate: true }))
/** Events that are reported, or whose answer cannot refuse. */
export const reports = (seconds: number, ...events: readonly string[]): readonly Hooked[] =>
  events.map((event) => ({ event, seconds }))

/** The folder that a variable names, or else a folder of the home. */
export const folderOf = ({ home, env }: ClientPlaces, variable: string, otherwise: string): string =>
  env[variable] || join(home, otherwise)
