/** The self-built app in Feishu's developer console that is the bot. */
export interface App {
  /** Such as `cli_0123456789abcdef`. */
  readonly appId: string
  readonly appSecret: string
  /** The address of the platform, without a slash at its end. */
  readonly root: string
}

/** The form that Feishu's SDK accepts. */
export const appIdForm = /^cli_[0-9a-fA-F]{16}$/

/** The platforms: Feishu in China, and Lark everywhere else. */
export const platforms = {
  feishu: { name: 'Feishu', root: 'https://open.feishu.cn' },
  lark: { name: 'Lark', root: 'https://open.larksuite.com' },
} as const
export type Platform = keyof typeof platforms
