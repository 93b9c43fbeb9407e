import type { ClientName } from '../../shared/gate/client.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { kimi } from './kimi.ts'
import { openCode } from './opencode.ts'
import type { SessionFormat, SessionPlaces } from './session.ts'

/** The clients whose sessions can be read: where they keep them, how, and the version that was seen. */
export const SESSION_FORMATS = {
  'claude-code': claudeCode,
  codex,
  copilot,
  gemini,
  kimi,
  opencode: openCode,
} as const satisfies Partial<Record<ClientName, SessionFormat>>

export type SessionClient = keyof typeof SESSION_FORMATS
export const sessionClients = Object.keys(SESSION_FORMATS) as readonly SessionClient[]
export const isSessionClient = (name: string): name is SessionClient => Object.hasOwn(SESSION_FORMATS, name)

/** A folder of one client. */
export interface SessionRoot {
  readonly client: SessionClient
  readonly folder: string
}

export const sessionRoots = (
  clients: readonly SessionClient[],
  places: SessionPlaces,
): readonly SessionRoot[] =>
  clients.flatMap((client) => SESSION_FORMATS[client].places(places).map((folder) => ({ client, folder })))
