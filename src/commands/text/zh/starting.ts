import type { Catalogue } from '../catalogues.ts'

/** Pairing, mistyped commands, times, and what is told of files and late hooks. */
export const starting: Catalogue = {
  'hookgate {0} is out, and this is {1}. → Read its changes, then npm install --global hookgate@latest and restart it. (To hear nothing of it: updates: false in gate.yaml.)':
    'hookgate {0} 已发布，当前版本是 {1}。→ 阅读更新内容，然后运行 npm install --global hookgate@latest 并重启。（不想收到此类通知：在 gate.yaml 中写 updates: false。）',
  'Not paired: the code is not valid.': '未配对：配对码无效。',
  'Not paired: the code is more than 30 minutes old; get a new one.':
    '未配对：配对码已超过 30 分钟，请获取新的配对码。',
  'Not paired: no code is active; an owner creates one with /pair.':
    '未配对：目前没有有效的配对码；所有者可用 /pair 生成一个。',
  'Not paired: too many wrong codes were sent; get a new one.':
    '未配对：错误的配对码发送次数过多，请获取新的配对码。',
  'Not paired: the gate’s folder could not be written.': '未配对：无法写入 hookgate 的文件夹。',
  'Not paired: a code works only in a private chat.': '未配对：配对码只能在私聊中使用。',
  'Not paired: you are already an owner of this gate; the code is for somebody else.':
    '未配对：你已经是所有者；这个配对码是给别人的。',
  'Not paired: send it as a new plain message ({0}).': '未配对：请把它作为一条新的纯文本消息发送（{0}）。',
  'Not paired: no code is active.': '未配对：目前没有有效的配对码。',
  'The code is right. Its owner is asked to confirm that it is you. You get the answer here.':
    '配对码正确。hookgate 正在请其所有者确认是你本人。结果会发到这里。',
  'New owner: “{0}” ({1}), paired with the code from the console.':
    '新的所有者：“{0}”（{1}），使用控制台的配对码完成配对。',

  'Understood as {0}': '已理解为 {0}',
  '{0} is not a command. The agent did not get it. To send it to the agent, send it as its own message.':
    '{0} 不是命令。智能体没有收到它。要发给智能体，请单独发送。',
  '/{0} is not a command. The agent did not get it.\n→ /help': '/{0} 不是命令。智能体没有收到它。\n→ /help',
  '/{0} is not a command. Did you mean /{1}? The agent did not get it.\n→ /help':
    '/{0} 不是命令。你是想输入 /{1} 吗？智能体没有收到它。\n→ /help',
  '/{0} is not a command. Did you mean /{1} {2}? The agent did not get it.\n→ /help':
    '/{0} 不是命令。你是想输入 /{1} {2} 吗？智能体没有收到它。\n→ /help',

  '{0} s': '{0} 秒',
  '{0} min': '{0} 分钟',
  '{0} h': '{0} 小时',
  '{0} h {1} min': '{0} 小时 {1} 分钟',
  'until {0} ({1})': '直到 {0}（{1}后）',
  'at {0} (in {1})': '{0}（{1}后）',
  'Times in {0} → /tz': '时间所用时区为 {0} → /tz',
  'the time zone of the times in this chat, as in /tz Asia/Shanghai':
    '这个聊天中时间所用的时区，例如 /tz Asia/Shanghai',
  'Another one → /tz <zone>, as in /tz Asia/Shanghai\nThat of this machine → /tz machine':
    '更换时区 → /tz <时区>，例如 /tz Asia/Shanghai\n使用本机时区 → /tz machine',
  'Times in this chat are in {0}. It is {1} there.\n{2}': '这个聊天使用时区 {0}，当前时间 {1}。\n{2}',
  'Times in this chat are in {0}, the time zone of this machine. It is {1} there.\n{2}':
    '这个聊天使用本机时区 {0}，当前时间 {1}。\n{2}',
  'Times in this chat are in {0}, the time zone of this machine, from now on.':
    '从现在起，这个聊天使用本机时区 {0}。',
  'Times in this chat are in {0} from now on. It is {1} there.':
    '从现在起，这个聊天使用时区 {0}，当前时间 {1}。',
  'hookgate knows no time zone {0}.\n{1}': 'hookgate 不认识时区 {0}。\n{1}',
  'hookgate knows no time zone {0}. Did you mean {1}?\n→ /tz {2}':
    'hookgate 不认识时区 {0}。你是指 {1} 吗？\n→ /tz {2}',

  '⚠ {0} entries of your files cannot be read:': '⚠ 你的文件中有 {0} 个条目无法读取：',
  '⚠ {0} entries of {1} cannot be read:': '⚠ {1} 中有 {0} 个条目无法读取：',
  '… and {0} more entries that cannot be read': '… 还有 {0} 个条目无法读取',
  '⚠ {0}: left out, because {1} did not judge this notice within {2} s. Ask again when this machine has less to do, or turn hooks off and look:\n→ /hooks off 15m':
    '⚠ {0}：已略去，因为 {1} 没有在 {2} 秒内审查这条通知。请在本机不那么忙时再试，或暂时关闭钩子后查看：\n→ /hooks off 15m',

  '“/hooks on” takes nothing after it, but got {0}. It is one switch for all approved hooks.':
    '“/hooks on” 后面不接任何内容，但收到了 {0}。它是所有已批准钩子的总开关。',
  'To switch all approved hooks on → /hooks on': '开启所有已批准的钩子 → /hooks on',
  'To let one hook fire → /hooks approve <handle>': '让某个钩子生效 → /hooks approve <代号>',
  'To stop one hook → /hooks revoke <handle>': '停用某个钩子 → /hooks revoke <代号>',
  'The handles → /hooks': '查看代号 → /hooks',
}
