/** The platforms of one messenger: Feishu in China, and Lark everywhere else. */
export const platforms = {
  feishu: { name: 'Feishu', root: 'https://open.feishu.cn' },
  lark: { name: 'Lark', root: 'https://open.larksuite.com' },
} as const
export type Platform = keyof typeof platforms
