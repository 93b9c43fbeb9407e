import type { JsonObject } from '../../model/base/json.ts'

export type Scope = 'user' | 'project'

export interface ClientPlaces {
  /** The person's home. */
  readonly home: string
  /** The folder that `--project` means. */
  readonly project: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** How the client reaches the gate for one event. */
export type Reach =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** One event that gets an entry. */
export interface Hooked {
  readonly event: string
  /** The client's own limit, in seconds. The bridge answers earlier, since every client takes its own limit for consent. */
  readonly seconds: number
  /** The client waits for an answer that can refuse. */
  readonly isGate?: true
  /** The client goes on as after a refusal where nobody answers; absent: where it is a gate. */
  readonly failsClosed?: true
  /** No HTTP hook is taken here, or none that fails closed. */
  readonly isCommandOnly?: true
}

/** What is written into the client's file. */
export type Body =
  /** A JSON object with `hooks`: event → list; comments may stand in it. `fresh`: the file when there is none. */
  | { readonly kind: 'hooks'; readonly fresh: JsonObject; entry(hooked: Hooked, reach: Reach): JsonObject }
  /** Lines between two marks in a TOML file. */
  | { readonly kind: 'block'; text(hooked: Hooked, command: string): string }
  /** A file of ours alone. `plugin`: the file that hookgate brings for OpenCode. */
  | {
      readonly kind: 'file'
      text(hooked: readonly Hooked[], command: (hooked: Hooked) => string, plugin: string): string
    }

/** Where one client keeps its hooks, and what it needs to be told. */
export interface Installation {
  readonly title: string
  /** Its file; a text in place of one: why there is none. */
  file(scope: Scope, places: ClientPlaces): { readonly path: string } | { readonly none: string }
  readonly events: readonly Hooked[]
  readonly body: Body
  readonly takesHttp?: true
  /** What turns all hooks off in that file, ours too. */
  readonly off?: { readonly path: readonly string[]; readonly value: boolean }
  /** What only the person can do, or should know, one line each. */
  steps(scope: Scope): readonly string[]
  /** A tool call that the gate refuses whatever hooks say, as this client reports it, and where its answer says no. */
  readonly canary: {
    readonly event: string
    readonly payload: JsonObject
    readonly denial: readonly string[]
  }
}

/** The tool that no agent has: the gate refuses it, so that a person sees that a refusal refuses. */
export const canaryTool = 'hookgate-canary'
export const canaryWords = 'hookgate refuses its canary, whatever hooks say'
