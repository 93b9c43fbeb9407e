import { got, ProblemError } from '../../core/model/gate/problem.ts'
import type { Env } from '../home.ts'
import type { GateFile } from '../schema.ts'

/** The messengers that are connected beside the web page. Absent: not connected. */
export interface Messengers {
  readonly telegram?: {
    readonly token: string
    readonly apiRoot?: string
    readonly chats: readonly string[]
    readonly webhook?: { readonly url: string; readonly host: string; readonly port: number }
  }
  readonly feishu?: {
    readonly appId: string
    readonly appSecret: string
    readonly platform: GateFile['channels']['feishu']['platform']
    readonly apiRoot?: string
    readonly chats: readonly string[]
  }
  readonly wechat?: { readonly puppet: string }
}

const invalid = (code: string, message: string, fix: string): ProblemError =>
  new ProblemError({ code, message, fix })

/** The address of a messenger's API. Undefined: the messenger's own. */
const apiRootOf = (env: Env, variable: 'TELEGRAM_API_ROOT' | 'FEISHU_API_ROOT'): string | undefined => {
  const apiRoot = env[variable] || undefined
  if (apiRoot !== undefined && !/^https?:$/.test(URL.parse(apiRoot)?.protocol ?? ''))
    throw invalid(
      'env.api_root',
      `Expected ${variable} to be an address, got ${got(apiRoot)}.`,
      `Set ${variable}=https://host.`,
    )
  return apiRoot
}

/** The id of an app of Feishu. Undefined: there is none. `variable` holds it. */
const feishuAppIdOf = (env: Env, variable: string): string | undefined => {
  const appId = (env[variable] ?? '').trim() || undefined
  if (appId !== undefined && !/^cli_[0-9a-fA-F]{16}$/.test(appId))
    throw invalid(
      'env.feishu',
      `Expected ${variable} to be the id of an app, such as cli_0123456789abcdef, got another text of length ${appId.length}.`,
      'Copy the App ID from the page "Credentials & Basic Info" of the developer console.',
    )
  return appId
}

/** The variables that give access to a bot, and with it to the gate. Nothing else may name one. */
export const botSecrets = ({ channels: { telegram, feishu } }: GateFile): readonly string[] => [
  telegram.token_env,
  feishu.app_secret_env,
  'TELEGRAM_BOT_TOKEN',
  'FEISHU_APP_SECRET',
]

const telegramOf = ({ telegram }: GateFile['channels'], env: Env): Messengers['telegram'] => {
  const token = (env[telegram.token_env] ?? '').trim()
  const apiRoot = apiRootOf(env, 'TELEGRAM_API_ROOT')
  if (token === '') return undefined
  return {
    token,
    chats: telegram.chats,
    webhook: telegram.mode === 'polling' ? undefined : telegram.webhook,
    apiRoot,
  }
}

const feishuOf = ({ feishu }: GateFile['channels'], env: Env): Messengers['feishu'] => {
  const { app_id_env: ofId, app_secret_env: ofSecret, platform, chats } = feishu
  const appId = feishuAppIdOf(env, ofId)
  const apiRoot = apiRootOf(env, 'FEISHU_API_ROOT')
  const appSecret = (env[ofSecret] ?? '').trim()
  if (appId === undefined) return undefined
  if (appSecret === '')
    throw invalid(
      'env.feishu',
      `Expected ${ofSecret} to hold the secret of the app in ${ofId}, got nothing.`,
      'Copy the App Secret from the page "Credentials & Basic Info" of the developer console.',
    )
  return { appId, appSecret, platform, chats, apiRoot }
}

/** Reads the messengers. `take` collects the problem of each. */
export const messengersOf = (
  { channels }: GateFile,
  env: Env,
  take: <T>(read: () => T, otherwise: T) => T,
): Messengers => {
  const telegram = take(() => telegramOf(channels, env), undefined)
  const feishu = take(() => feishuOf(channels, env), undefined)
  return {
    telegram,
    feishu,
    wechat: channels.wechat.puppet === 'none' ? undefined : { puppet: channels.wechat.puppet },
  }
}
