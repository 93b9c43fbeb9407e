import { onTestFinished } from 'vitest'
import type { Client } from '@larksuiteoapi/node-sdk'
import { createExit, type Exit, type Sender } from '../../../../bots/feishu/http/exit.ts'
import { createClient, loadSdk } from '../../../../bots/feishu/sdk.ts'
import { startFeishu, type Feishu, type FeishuOptions } from '../../../fixtures/feishu/server.ts'

export interface Wired {
  readonly server: Feishu
  readonly exit: Exit
  readonly client: Client
  readonly sender: Sender
  readonly tripped: string[]
  /** The requests that arrived, without those for a token. */
  left(): readonly string[]
}

export const isToken = (method: string): boolean => method.includes('/auth/v3/')

/** The SDK's client over the exit, and a platform on loopback behind it. */
export const wire = async (options: FeishuOptions = {}): Promise<Wired> => {
  const server = await startFeishu(options)
  onTestFinished(() => server.stop())
  const tripped: string[] = []
  const app = { appId: server.appId, appSecret: server.appSecret, root: server.root }
  const exit = createExit(app, (what) => tripped.push(what))
  const { client, sender } = createClient(await loadSdk(), app, exit)
  return {
    server,
    exit,
    client,
    sender,
    tripped,
    left: () => server.calls().flatMap(({ method }) => (isToken(method) ? [] : [method])),
  }
}

/** What a refused call rejects with. */
export const refused = { failure: { kind: 'refused', code: 403 } }

type Call = (payload: object) => Promise<unknown>
/** Every method of the SDK that is about messages and chats, as `v1.message.create`. */
export const imMethods = (client: Client): readonly (readonly [string, Call])[] =>
  Object.entries(client.im)
    .filter(([version]) => /^v\d+$/.test(version))
    .flatMap(([version, parts]) =>
      Object.entries(parts as Record<string, Record<string, unknown>>).flatMap(([part, named]) =>
        Object.entries(named).flatMap(([name, member]) =>
          typeof member === 'function' ? [[`${version}.${part}.${name}`, member as Call] as const] : [],
        ),
      ),
    )
