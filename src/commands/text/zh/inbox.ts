import type { Catalogue } from '../catalogues.ts'

/** The answers to messages and taps that were not carried out, and news of the agent's work. */
export const inbox: Catalogue = {
  // The form of a message.
  'An edited message does not count. Send the command as a new message.':
    '编辑过的消息不算数。请把命令作为新消息发送。',
  'A forwarded message does not count. Type the command yourself.': '转发的消息不算数。请自己输入命令。',
  'A message with a quote does not count. Send the command without it.':
    '带引用的消息不算数。请不带引用发送命令。',
  'A caption does not count. Send the command as a plain text message.':
    '图片或文件的说明文字不算数。请把命令作为纯文本消息发送。',
  'A message made by another bot does not count. Type the command yourself.':
    '由其他机器人生成的消息不算数。请自己输入命令。',
  'A message in the name of a chat does not count. Send the command as yourself.':
    '以聊天名义发送的消息不算数。请以你本人的身份发送命令。',
  'An automatic message does not count. Send the command yourself.': '自动消息不算数。请自己发送命令。',
  'A scheduled message does not count. Send the command now.': '定时消息不算数。请现在发送命令。',
  'A message through a business account does not count. Write to the bot itself.':
    '通过商业账号发送的消息不算数。请直接写给机器人。',
  'A channel post does not count. Write to the bot itself.': '频道帖子不算数。请直接写给机器人。',
  'A message from a bot does not count. Send the command yourself.': '机器人的消息不算数。请自己发送命令。',
  'A message that hookgate sent itself does not count.': 'hookgate 自己发送的消息不算数。',
  'A voice message does not count. Type the command.': '语音消息不算数。请输入命令。',
  'A message that was taken back does not count, and taking it back undoes nothing.':
    '已撤回的消息不算数，撤回消息也不会取消任何操作。',
  'That is not a plain text message. Type the command.': '这不是纯文本消息。请输入命令。',
  'WeChat has a new login, so you are not an owner in this chat until you pair again.\nSend /pair in another chat of yours with hookgate, or on its web page. Then send the code that it shows in this chat.':
    '微信有了新的登录，所以在重新配对之前，你在这个聊天里不是所有者。\n请在你与 hookgate 的另一个聊天或它的网页上发送 /pair，再把它显示的配对码发到这个聊天。',
  'You are an approver of this gate: you answer the tool calls that you are asked about, and nothing else.\n→ /hooks asks':
    '你是这个网关的审批者：你只回答向你询问的工具调用。\n→ /hooks asks',
  'You are a viewer of this gate: you can read and change nothing.\n→ /hooks':
    '你是这个网关的查看者：你只能查看，不能更改。\n→ /hooks',
  'Your message did not reach the agent. {0}': '你的消息没有发给智能体。{0}',
  '{0} days': '{0} 天',
  '{0} hours': '{0} 小时',
  '{0} minutes': '{0} 分钟',
  'hookgate does not know when you did that. Do it again.':
    'hookgate 不知道你是什么时候操作的。请再操作一次。',
  "That message is {0} old, and a command is valid for 5 minutes. Send it again.\nIf you sent it just now, set this machine's clock, which says {1}.":
    '这条消息是 {0}前的，而命令的有效期是 5 分钟。请重新发送。\n如果是你刚刚发的，请校准这台机器的时钟，它显示 {1}。',
  "That message is dated {0} ahead. Set this machine's clock, which says {1}, then send it again.\n/hooks off works anyway.":
    '这条消息的日期超前了 {0}。请校准这台机器的时钟（它显示 {1}），再重新发送。\n/hooks off 始终有效。',
  'Others can read and write here. Send the command in the private chat with the bot.':
    '这里别人也能读写。请在与机器人的私聊中发送命令。',
  'Your message has {0} characters, and at most {1} can be read. Send a shorter one.':
    '你的消息有 {0} 个字符，最多只能读取 {1} 个。请发送短一些的消息。',
  'Your reply had no effect: {0}': '你的回复没有效果：{0}',
  'Your tap had no effect: {0}': '你的点击没有效果：{0}',

  // People who may become the first owner.
  'This bot belongs to a hookgate that nobody owns yet.': '这个机器人属于一个还没有所有者的 hookgate。',
  'The console where hookgate was started shows a code. Enter there prints a new one.':
    '启动 hookgate 的控制台会显示一个配对码。在那里按 Enter 可以得到新的。',
  'Type here: /pair <code>': '请在这里输入：/pair <配对码>',

  // Lines of a message.
  '/{0} was not carried out: {1}': '/{0} 没有执行：{1}',
  'This line was not carried out, because an earlier line failed:': '这一行没有执行，因为前面有一行失败了：',
  'These {0} lines were not carried out, because an earlier line failed:':
    '这 {0} 行没有执行，因为前面有一行失败了：',
  'Send the lines that you still want again.': '仍需要的行请重新发送。',
  'Of {0} lines, only the first {1} were read. Send the rest again.':
    '共 {0} 行，只读取了前 {1} 行。其余的请重新发送。',
  'hookgate failed while it handled your last message. /hooks shows everything that the message has changed.':
    'hookgate 在处理你的上一条消息时出错。/hooks 会显示这条消息改动了什么。',
  'Deleting a message does not undo a command.\nThe current hooks → /hooks':
    '删除消息不会撤回命令。\n目前的钩子 → /hooks',
  'I can only read text and files for now.': '我目前只能读取文字和文件。',

  // Too many messages.
  'Too many messages are waiting for the agent. Your last message was dropped.\nNew messages are dropped until the agent has caught up. Send yours again later.':
    '等待智能体处理的消息太多，你的上一条消息被丢弃了。\n在智能体赶上之前，新消息都会被丢弃。请稍后再发。',
  'Too many of your messages are waiting for the agent.': '你有太多消息在等待智能体处理。',
  'The last one was dropped.': '最后一条被丢弃了。',
  '{0} messages were dropped so far.': '到目前为止丢弃了 {0} 条消息。',
  'Commands still work: /stop ends the turn.': '命令仍然有效：/stop 可以结束本轮。',
  '⚠ {0} ({1}:{2}) sends messages to {3}:{4} faster than the agent can read them.':
    '⚠ {0}（{1}:{2}）向 {3}:{4} 发消息的速度超过了智能体的读取速度。',
  'Further messages are dropped. If you do not want the agent to serve that chat, remove it from gate.yaml.':
    '之后的消息会被丢弃。如果不想让智能体服务该聊天，请把它从 gate.yaml 中移除。',

  // The agent's work on messages.
  'The agent is starting. It gets your message as soon as it is running.':
    '智能体正在启动。它一开始运行就会收到你的消息。',
  'The agent stopped before it began your last message. It gets it as soon as it is running again.':
    '智能体在开始处理你的上一条消息之前停止了。它恢复运行后就会收到这条消息。',
  'The agent stopped before it began your last {0} messages. It gets them as soon as it is running again.':
    '智能体在开始处理你最近的 {0} 条消息之前停止了。它恢复运行后就会收到这些消息。',
  'The agent stopped while it worked on your last message, and is being restarted. It does not continue with it. Send it again if you still want it.':
    '智能体在处理你的上一条消息时停止了，正在重启。它不会继续处理这条消息。如果仍需要，请重新发送。',
  'The agent stopped while it worked on your last {0} messages, and is being restarted. It does not continue with them. Send them again if you still want them.':
    '智能体在处理你最近的 {0} 条消息时停止了，正在重启。它不会继续处理这些消息。如果仍需要，请重新发送。',
  'hookgate was stopped while it worked on your last message. Send it again if you still want it.':
    'hookgate 在处理你的上一条消息时被停止。如果仍需要，请重新发送。',
  'hookgate was stopped while it worked on your last {0} messages. Send them again if you still want them.':
    'hookgate 在处理你最近的 {0} 条消息时被停止。如果仍需要，请重新发送。',
  '{0} /hooks shows what a command has changed.': '{0} /hooks 会显示命令改动了什么。',
  '… {0} · being checked for {1} s': '… {0} · 已检查 {1} 秒',
  '… {0} · running for {1} s': '… {0} · 已运行 {1} 秒',
  '✓ {0} · {1} s': '✓ {0} · {1} 秒',
  '✗ {0} · failed after {1} s': '✗ {0} · {1} 秒后失败',
  '✗ {0} · blocked': '✗ {0} · 被拦截',
  '{0} has been working for {1} s.': '{0} 已工作 {1} 秒。',
  '{0} worked for {1} s and used 1 tool.': '{0} 工作了 {1} 秒，使用了 1 个工具。',
  '{0} worked for {1} s. Its 1 tool call was blocked.': '{0} 工作了 {1} 秒。它的 1 次工具调用被拦截。',
  '{0} worked for {1} s and used {2} tools.': '{0} 工作了 {1} 秒，使用了 {2} 个工具。',
  '{0} worked for {1} s and called {2} tools; 1 of these calls was blocked.':
    '{0} 工作了 {1} 秒，调用了 {2} 次工具，其中 1 次被拦截。',
  '{0} worked for {1} s and called {2} tools; {3} of these calls were blocked.':
    '{0} 工作了 {1} 秒，调用了 {2} 次工具，其中 {3} 次被拦截。',
  '1 earlier tool call': '更早的 1 次工具调用',
  '{0} earlier tool calls': '更早的 {0} 次工具调用',
}
