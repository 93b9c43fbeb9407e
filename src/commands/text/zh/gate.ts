import type { Catalogue } from '../catalogues.ts'

/** Notices of the gate itself: its switch, its ledger, its disk, and messages on their way out. */
export const gate: Catalogue = {
  // The switch.
  'It ends when the database can be reached again.': '数据库恢复可用后会自动解除。',
  'Hooks are ON again: the {0} of /hooks off by {1} are over.{2}':
    '钩子已重新开启：{1} 的 /hooks off 已满 {0}。{2}',
  '✗ Hooks are still OFF, although the {0} of /hooks off by {1} are over.\n{2}\n→ /hooks on':
    '✗ {1} 的 /hooks off 已满 {0}，但钩子仍处于关闭状态。\n{2}\n→ /hooks on',
  'The gate’s folder could not be written.': '无法写入网关的目录。',

  // The ledger and the disk.
  '{0}\nIt shows if the gate was put back to an older state. Leave it pinned.':
    '{0}\n它能显示网关是否被恢复到旧状态。请保持置顶。',
  'No messenger can pin a checkpoint, so a rollback of the folder would go unnoticed.':
    '没有聊天应用能置顶检查点，所以目录被回滚时不会被发现。',
  '⚠ The pinned checkpoint in {0} was missing, so hookgate pins a new one.\nIt shows if the gate was put back to an older state. Leave it pinned.':
    '⚠ {0} 中置顶的检查点不见了，所以 hookgate 会置顶一个新的。\n它能显示网关是否被恢复到旧状态。请保持置顶。',
  '⚠ hookgate was put back from a backup: revision {0}, made at {1}.\nWhat owners decided after that is not in it. Look through /hooks and /owners.':
    '⚠ hookgate 已从备份恢复：版本 {0}，备份时间 {1}。\n此后所有者的决定不在其中。请查看 /hooks 和 /owners。',
  '⚠ The disk is full. hookgate has used part of the space that it reserves for your commands, or cannot reserve it.\nFree some disk space. Until then messages of agents are refused, and the history has gaps.':
    '⚠ 磁盘已满。hookgate 已用掉一部分为你的命令预留的空间，或者无法预留。\n请腾出一些磁盘空间。在此之前，智能体的消息会被拒绝，历史记录也会有缺失。',
  'The disk has free space again, and the reserve for your commands is complete.':
    '磁盘又有空间了，为你的命令预留的空间已补足。',
  'Their caches were emptied. If that is not enough, their other files will be moved away as well.':
    '它们的缓存已清空。如果还不够，其他文件也会被移走。',
  'All files were moved to {0} in {1} and in {2}, where they stay for at least a day.':
    '所有文件已移到 {1} 和 {2} 中的 {0}，至少保留一天。',
  '⚠ The files of hooks passed {0} MB, so all hooks were stopped. {1} Look for a hook that writes too much.':
    '⚠ 钩子的文件超过了 {0} MB，所以所有钩子都已停止。{1}请找出写入过多的钩子。',

  // Blocked steps.
  'Blocked: {0}’s call of {1}.': '已拦截：{0} 调用 {1}。',
  'Refused: {0} may not use {1}.': '已拒绝：{0} 不得使用 {1}。',
  'Blocked: {0} did not ask its model.': '已拦截：{0} 没有询问模型。',
  'Blocked: a message did not reach {0}.': '已拦截：一条消息没有到达 {0}。',
  'Blocked: {0} did not start a session.': '已拦截：{0} 没有开始会话。',
  'Refused: {0} claimed that its task is done. It works on.': '已拒绝：{0} 声称任务已完成。它继续工作。',
  'Blocked: {0} did not start the subagent {1}.': '已拦截：{0} 没有启动子智能体 {1}。',
  'Blocked: {0} did not shorten its conversation.': '已拦截：{0} 没有压缩对话。',
  'Stopped: {0} ends its turn here.': '已停止：{0} 在此结束本轮。',
  'Stopped: {0} ends its turn after {1}.': '已停止：{0} 在 {1} 之后结束本轮。',
  'Blocked: a step of {0} ({1}).': '已拦截：{0} 的一个步骤（{1}）。',
  '{0} more steps of {1} were blocked.': '{1} 另有 {0} 个步骤被拦截。',
  'The last ones:': '最近的：',

  // News of agents for their owners.
  '{0} has finished its turn.': '{0} 已完成本轮。',
  '{0} has finished {1} turns.': '{0} 已完成 {1} 轮。',
  '{0} has been busy for 1 minute.': '{0} 已忙碌 1 分钟。',
  '{0} has been busy for {1} minutes.': '{0} 已忙碌 {1} 分钟。',
  '{0} waits for you.': '{0} 在等你。',
  '{0} has waited for you {1} times.': '{0} 等过你 {1} 次。',
  '{0} waits for you: {1}': '{0} 在等你：{1}',
  '{0} has waited for you {1} times, last with: {2}': '{0} 等过你 {1} 次，最近一次：{2}',
  '{0} failed.': '{0} 出错了。',
  '{0} failed {1} times.': '{0} 出错 {1} 次。',
  '{0} failed: {1}': '{0} 出错了：{1}',
  '{0} failed {1} times, last with: {2}': '{0} 出错 {1} 次，最近一次：{2}',
  'In your quiet hours:': '在你的免打扰时段：',

  // Messages on their way out.
  '⚠ A hook hid part of this, so you cannot say yes to it here. Revoke that hook, or turn hooks off and look again:\n→ /hooks off 15m':
    '⚠ 有钩子隐藏了其中一部分，所以你不能在这里同意。请撤销该钩子，或关闭钩子后再看一次：\n→ /hooks off 15m',
  '[withheld by {0}]': '[被 {0} 扣留]',
  '{0} [changed by {1}]': '{0} [被 {1} 改动]',
  '⚠ Blocked: a send on {0} that bypassed the gate ({1}).': '⚠ 已拦截：{0} 上一次绕过网关的发送（{1}）。',
  'May not have arrived: {0}’s message to the {1} chat.': '可能未送达：{0} 发往 {1} 聊天的消息。',
  'Blocked: {0}’s message to the {1} chat.': '已拦截：{0} 发往 {1} 聊天的消息。',
  'Not delivered: {0}’s message to the {1} chat.': '未送达：{0} 发往 {1} 聊天的消息。',
  'May not have arrived: 1 more message from {0} to the {1} chat within a minute.':
    '可能未送达：一分钟内另有 1 条 {0} 发往 {1} 聊天的消息。',
  'May not have arrived: {0} more messages from {1} to the {2} chat within a minute.':
    '可能未送达：一分钟内另有 {0} 条 {1} 发往 {2} 聊天的消息。',
  'Blocked: 1 more message from {0} to the {1} chat within a minute.':
    '已拦截：一分钟内另有 1 条 {0} 发往 {1} 聊天的消息。',
  'Blocked: {0} more messages from {1} to the {2} chat within a minute.':
    '已拦截：一分钟内另有 {0} 条 {1} 发往 {2} 聊天的消息。',
  'Not delivered: 1 more message from {0} to the {1} chat within a minute.':
    '未送达：一分钟内另有 1 条 {0} 发往 {1} 聊天的消息。',
  'Not delivered: {0} more messages from {1} to the {2} chat within a minute.':
    '未送达：一分钟内另有 {0} 条 {1} 发往 {2} 聊天的消息。',
  '⚠ Too many messages of {0} wait to be sent to one chat on {1}. New ones are refused until some have been sent.':
    '⚠ {0} 等待发往 {1} 的一个聊天的消息太多。在发出一些之前，新消息会被拒绝。',
  '⚠ Too many messages of {0} wait to be sent. New ones are refused until some have been sent.':
    '⚠ {0} 等待发送的消息太多。在发出一些之前，新消息会被拒绝。',

  // Agents and the web page.
  '⚠ {0} was refused {1} times and now ends its turn. The last reason was: {2}':
    '⚠ {0} 已被拒绝 {1} 次，现在结束本轮。最后一次的原因：{2}',
  '{0} asked its model {1} times within an hour, about {2} tokens':
    '{0} 一小时内询问了模型 {1} 次，约 {2} 个 token',
  'gate.yaml allows {0} questions and {1} tokens': 'gate.yaml 允许 {0} 次询问和 {1} 个 token',
  '⚠ {0}. Half of the hourly limit is used: {1}.': '⚠ {0}。每小时限额已用一半：{1}。',
  'The hourly limit is used up, and further calls are refused until the hour ends: {0}.':
    '每小时限额已用完，在这一小时结束之前，后续调用都会被拒绝：{0}。',
  '⚠ Web login: {0}': '⚠ 网页登录：{0}',
}
