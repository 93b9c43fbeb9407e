import type * as Sdk from '@larksuiteoapi/node-sdk'
import { ProblemError } from '../../src/core/model/gate/problem.ts'
import type { App } from './app.ts'
import type { Exit, Sender } from './http/exit.ts'
import { readFailure, tokenCodes } from './http/failure.ts'

export type FeishuSdk = Pick<typeof Sdk, 'Client' | 'WSClient' | 'EventDispatcher'>

/**
 * Loads the SDK. It takes a quarter of a second and 60 MB, so it is loaded only where Feishu is configured.
 * Rejects with a ProblemError where it is not installed.
 */
export const loadSdk = async (): Promise<FeishuSdk> =>
  await import('@larksuiteoapi/node-sdk').catch(() => {
    throw new ProblemError({
      code: 'feishu.sdk',
      message: 'Expected the package @larksuiteoapi/node-sdk for Feishu, which could not be loaded.',
      fix: 'Run "npm install --global @larksuiteoapi/node-sdk" (in a clone: npm install), then start again.',
    })
  })

const ignored = (): void => undefined
/** The SDK's log would hold texts of messages and, at some levels, tokens. */
export const silent: Sdk.Logger = {
  error: ignored,
  warn: ignored,
  info: ignored,
  debug: ignored,
  trace: ignored,
}

/** A client of the SDK, which gets a token when it needs one. */
export interface FeishuClient {
  readonly client: Sdk.Client
  /** It drops a token that Feishu refuses, so that the next request gets a new one. */
  readonly sender: Sender
}

export const createClient = ({ Client }: FeishuSdk, { root, ...app }: App, exit: Exit): FeishuClient => {
  const kept = new Map<unknown, { readonly value: unknown; readonly untilMs: number }>()
  const client = new Client({
    ...app,
    domain: root,
    httpInstance: exit.instance,
    source: 'hookgate',
    logger: silent,
    // The SDK's own cache is shared by all clients of a process, also by those of another platform.
    cache: {
      get: (key) => {
        const found = kept.get(key)
        return Promise.resolve(found !== undefined && Date.now() < found.untilMs ? found.value : undefined)
      },
      set: (key, value, untilMs = Infinity) => {
        kept.set(key, { value, untilMs })
        return Promise.resolve(true)
      },
    },
  })
  return {
    client,
    sender: {
      request: (payload: Parameters<Sdk.Client['request']>[0]): Promise<never> =>
        client.request(payload).catch((error: unknown) => {
          const failure = readFailure(error)
          // The SDK keeps a token until it would have ended by itself.
          if (failure.kind === 'refused' && tokenCodes.has(failure.code)) kept.clear()
          throw error
        }) as Promise<never>,
    },
  }
}
