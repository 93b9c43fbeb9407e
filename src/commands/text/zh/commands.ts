import type { Catalogue } from '../catalogues.ts'

/** The answers to commands. */
export const commands: Catalogue = {
  'hookgate writes English here.\n{0}': 'hookgate 在这里使用中文。\n{0}',
  'hookgate does not speak {0}.\n{1}': 'hookgate 不支持语言 {0}。\n{1}',
  'hookgate writes English in this chat from now on.': '从现在起，hookgate 在这个聊天里使用中文。',

  // Names.
  '{0} hooks are called like that. Type the handle of one:':
    '有 {0} 个钩子的名称与此相符。请输入其中一个的代码：',
  'A file chooses the names of its hooks, so a name alone gives no consent. It is this one:':
    '钩子的名称由文件决定，所以只凭名称不算同意。就是这一个：',

  // The gallery.
  Gallery: '示例库',
  'hooks for single jobs, to propose with one tap': '单一用途的钩子，点一下即可提议',
  'Hooks for single jobs. A tap proposes one; it fires only after you approve it:':
    '单一用途的钩子。点一下只是提议，批准之后才会触发：',
  'The gallery has no {0}.\n→ /hooks gallery': '示例库里没有 {0}。\n→ /hooks gallery',
  '{0} is proposed already.\n→ /hooks': '{0} 已在提议中。\n→ /hooks',
  'Proposed: {0}. It waits for your approval, and its card comes by itself.\n→ /hooks':
    '已提议：{0}。它等你批准，卡片会自动出现。\n→ /hooks',
  '✗ {0} was not proposed.\n{1}': '✗ {0} 未能提议。\n{1}',

  // The guards that one tap approves.
  'Secrets do not leave': '机密不外泄',
  'Keys, passwords, tokens and seed phrases are taken out of what the agent sends.':
    '智能体发出的内容里，密钥、密码、令牌和助记词会被去掉。',
  'Commands that destroy or leak ask you first': '会破坏或泄露的命令先问你',
  'You see what would happen, and the command waits for your yes. The worst are refused.':
    '你会看到将发生什么，命令等你同意才执行。最危险的直接拒绝。',
  'Guard commands': '看守命令',
  'Do not guard commands': '不看守命令',
  'A false “done” is refused': '拒绝虚假的“已完成”',
  'The agent cannot say that something is published when no tool of it did that.':
    '没有任何工具做过发布时，智能体不能声称已经发布。',
  'Keep secrets here': '不让机密外泄',
  'Let secrets leave': '允许机密外发',
  'Check claims': '核对声称',
  'Do not check claims': '不核对声称',
  'Protect me': '保护我',
  More: '更多',
  'You are protected:': '你已受到保护：',
  'You approved these hooks, which are part of hookgate:': '你已批准这些钩子，它们是 hookgate 自带的：',
  'Protect yourself with one tap. It approves these hooks, which are part of hookgate:':
    '点一下即可保护自己。它会批准这些 hookgate 自带的钩子：',
  'The tap turns hooks on, too, so these fire from the next event.':
    '点一下也会打开钩子，它们从下一个事件起触发。',
  'The tap turns hooks on, too. 1 other hook that you approved fires then, as well.':
    '点一下也会打开钩子，你批准过的另外 1 个钩子也随之触发。',
  'The tap turns hooks on, too. {0} other hooks that you approved fire then, as well.':
    '点一下也会打开钩子，你批准过的另外 {0} 个钩子也随之触发。',
  'To switch one → /hooks protect secrets off': '单独开关一个 → /hooks protect secrets off',
  'All that an approval binds → /hooks protect details': '批准所约束的全部内容 → /hooks protect details',
  '✗ {0}: not approved.\n{1}': '✗ {0}：未批准。\n{1}',
  '✗ {0}: still approved.\n{1}': '✗ {0}：仍处于批准状态。\n{1}',
  'Nothing was changed.': '未作任何更改。',
  '→ /hooks protect\n  the card': '→ /hooks protect\n  卡片',
  '→ /hooks protect on\n  approve all of them, and turn hooks on':
    '→ /hooks protect on\n  全部批准，并打开钩子',
  '→ /hooks protect secrets off\n  end one of them; “on” approves it again':
    '→ /hooks protect secrets off\n  停用其中一个；“on”再次批准',
  '→ /hooks protect details\n  all that an approval binds':
    '→ /hooks protect details\n  批准所约束的全部内容',
  'the guards of hookgate: approve all with one tap, or switch one':
    'hookgate 自带的守卫：点一下全部批准，或单独开关一个',
}
