import type { Catalogue } from '../catalogues.ts'

/** The answers to commands. */
export const commands: Catalogue = {
  'hookgate writes English here.\n{0}': 'hookgate 在这里使用中文。\n{0}',
  'hookgate does not speak {0}.\n{1}': 'hookgate 不支持语言 {0}。\n{1}',
  'hookgate writes English in this chat from now on.': '从现在起，hookgate 在这个聊天里使用中文。',
}
