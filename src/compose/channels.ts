import { join } from 'node:path'
import { createTelegram } from '../../bots/telegram/telegram.ts'
import { createWeb, type WebChannel, type WebPorts } from '../../bots/web/web.ts'
import { createWechat } from '../../bots/wechat/wechat.ts'
import type { Viewers } from '../commands/preferences.ts'
import type { Config } from '../config/load.ts'
import type { Channel, ChannelPorts } from '../model/channel.ts'
import type { Store } from '../store/store.ts'

export interface ChannelParts {
  readonly config: Config
  readonly ports: ChannelPorts
  readonly web: WebPorts
  readonly store: Store
  readonly viewers: Viewers
  /** A line for whoever sits at the console, and a question to which they type a number. */
  readonly console: {
    say?(line: string): void
    number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
  }
}

/** Every messenger that the configuration connects, the web page first. */
export const createChannels = ({
  config,
  ports,
  web: webPorts,
  store,
  viewers,
  console,
}: ChannelParts): { readonly web: WebChannel; readonly all: readonly Channel[] } => {
  const web = createWeb(config.web, webPorts)
  const telegram =
    config.telegram === undefined
      ? []
      : [
          createTelegram(
            {
              ...config.telegram,
              recall: () => store.getFact('telegram webhook'),
              remember: (url) => store.setFact('telegram webhook', url),
            },
            ports,
          ),
        ]
  const wechat =
    config.wechat === undefined
      ? []
      : [
          createWechat(
            {
              ...config.wechat,
              ilink: { card: join(config.home, 'secrets', 'wechat.json') },
              show: (lines) => console.say?.(lines),
              shown: viewers.showWechatLogin,
              number: async (prompt, signal) => console.number?.(prompt, signal),
              recall: () => store.getFact('wechat login'),
              remember: (login) => store.setFact('wechat login', login),
            },
            ports,
          ),
        ]
  return { web, all: [web, ...telegram, ...wechat] }
}
