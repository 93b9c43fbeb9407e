import type { Catalogue } from '../catalogues.ts'

/** The list of hooks, the switch, and how hooks are found. */
export const lists: Catalogue = {
  '{0} is not valid: {1}.\nCurrent handles → /hooks': '{0} 无效：{1}。\n现在的代码 → /hooks',
  'it was used, changed or mistyped, or hookgate restarted':
    '它已被使用、已改变或打错了，或者 hookgate 重启过',
  'it is more than a day old': '它已超过一天',
  'it was shown to another owner or in another chat': '它是给另一位所有者或在另一个聊天里显示的',
  'The hook of handle {0} has changed since you saw it.\n→ /hooks':
    '代码 {0} 的钩子在你看过之后变了。\n→ /hooks',
  'See what is proposed → /hooks': '查看提议 → /hooks',
  'Did you mean {0}?': '你是指 {0} 吗？',
  'Name the hook: /hooks approve <handle>, as /hooks shows it, or /hooks approve <event> <command>.':
    '请指明钩子：/hooks approve <handle>（如 /hooks 所示），或 /hooks approve <event> <command>。',
  '{0} is neither a handle nor an event with a command.\n→ /hooks':
    '{0} 既不是代码，也不是带命令的事件。\n→ /hooks',
  '{0} is not an event. {1}': '{0} 不是事件。{1}',
  '/hooks approve {0} <command>, or a handle that /hooks shows.':
    '/hooks approve {0} <command>，或 /hooks 显示的代码。',
  'Name a command of {0}: {1}': '请指明 {0} 的命令：{1}',
  'No file proposes {0} on {1}.\n{2}': '没有文件为 {1} 提议 {0}。\n{2}',
  'Name the hook: /hooks revoke <handle>, as /hooks shows it, or /hooks revoke <command>.':
    '请指明钩子：/hooks revoke <handle>（如 /hooks 所示），或 /hooks revoke <command>。',
  'No approved hook runs {0}.\n{1}': '没有已批准的钩子运行 {0}。\n{1}',
  'The switch and every hook': '开关和所有钩子',
  'End this session, start the next': '结束本次会话，开始下一次',
  'Stop what the agent is doing': '停止智能体正在做的事',
  'Your id and this chat': '你的 ID 和这个聊天',
  'What you can type': '你可以输入什么',
  'these commands and the events': '这些命令和各个事件',
  'this list': '这个列表',
  'Hooks are ON (STARCHILD_SHELL_HOOKS=1 at start)': '钩子已开启（启动时 STARCHILD_SHELL_HOOKS=1）',
  'Hooks are ON': '钩子已开启',
  'Hooks are OFF': '钩子已关闭',
  'Hooks are OFF {0}': '钩子已关闭，{0}',
  '(STARCHILD_SHELL_HOOKS=1 at start)': '（启动时 STARCHILD_SHELL_HOOKS=1）',
  '{0}, then ON automatically': '{0}，之后自动开启',
  'Hooks are ON · config/shell_hooks.yaml': '钩子已开启 · config/shell_hooks.yaml',
  'Hooks are OFF · config/shell_hooks.yaml': '钩子已关闭 · config/shell_hooks.yaml',
  'No hooks are proposed yet.': '还没有提议的钩子。',
  Back: '上一页',
  'the switch and every hook': '开关和所有钩子',
  'Expected the number of a page, got {0}.\n→ /hooks': '这里应为页码，收到的是 {0}。\n→ /hooks',
  'LOCKDOWN: {0}\n{1}': '锁定：{0}\n{1}',
  '1 line of the ledger is good, head {0}': '账本有 1 行完好，末端 {0}',
  '{0} lines of the ledger are good, head {1}': '账本有 {0} 行完好，末端 {1}',
  '{0}{1}\n→ /hooks recover {2}\n  continues from there\n→ /hooks recover\n  starts a new ledger, with nothing approved':
    '{0}{1}\n→ /hooks recover {2}\n  从那里继续\n→ /hooks recover\n  新建账本，没有任何批准',
  'Gated steps are blocked and messages are held.': '受控步骤被拦截，消息被扣住。',
  'page {0} of {1} → /hooks {2}': '第 {0} 页，共 {1} 页 → /hooks {2}',
  '1 hook needs {0}, which is not installed.\nInstall it for the whole system:':
    '1 个钩子需要 {0}，但它没有安装。\n请为整个系统安装它：',
  '{0} hooks need {1}, which is not installed.\nInstall it for the whole system:':
    '{0} 个钩子需要 {1}，但它没有安装。\n请为整个系统安装它：',
  '1 hook more is still being checked.\nAsk again in a few seconds:':
    '还有 1 个钩子正在检查。\n请过几秒再问：',
  '{0} hooks more are still being checked.\nAsk again in a few seconds:':
    '还有 {0} 个钩子正在检查。\n请过几秒再问：',
  '{0} live': '{0} 个生效',
  'none approved': '均未批准',
  '{0} approved, none live': '{0} 个已批准，都未生效',
  '{0} waiting': '{0} 个待批准',
  '{0} to fix': '{0} 个待修正',
  '{0} cannot run here': '{0} 个在此无法运行',
  'Hooks were switched ON by {0}.': '{0} 开启了钩子。',
  '⚠ Hooks were switched OFF by {0}.\nNo hook fires.\n→ /hooks on':
    '⚠ {0} 关闭了钩子。\n没有钩子会触发。\n→ /hooks on',
  '⚠ Hooks were switched OFF by {0} {1}.\nNo hook fires.\n→ /hooks on':
    '⚠ {0} 关闭了钩子，{1}。\n没有钩子会触发。\n→ /hooks on',
  '{0} (they were already).': '{0}（本来就是这样）。',
  'No hook is approved yet': '还没有已批准的钩子',
  '1 hook live from the next event': '1 个钩子从下一个事件起生效',
  '{0} hooks live from the next event': '{0} 个钩子从下一个事件起生效',
  '{0} · {1} waiting → /hooks': '{0} · {1} 个待批准 → /hooks',
  'No hook fires; approvals are kept.': '没有钩子会触发；批准保留。',
  'No hook fires; approvals are kept.\nThen they switch ON again automatically.':
    '没有钩子会触发；批准保留。\n之后自动重新开启。',
  '✗ {0} still.\n{1}': '✗ 仍然是：{0}。\n{1}',
  '{0} still.': '仍然是：{0}。',
  'switch approved hooks on': '开启已批准的钩子',
  'switch all hooks off, for good or for a while': '关闭所有钩子，一直关闭或关闭一段时间',
  'Expected for how long, as in 90s, 15m or 2h, at most 24h; got {0}.':
    '这里应为时长，如 90s、15m 或 2h，最多 24h；收到的是 {0}。',
  'A new ledger was started. The damaged one was kept beside it.\nNothing is approved and hooks are OFF. Waiting messages are checked again.\n→ /hooks':
    '已新建账本。损坏的账本保留在旁边。\n没有任何批准，钩子已关闭。等待的消息会重新检查。\n→ /hooks',
  'The ledger continues after line {0}, head {1}.': '账本从第 {0} 行之后继续，末端 {1}。',
  'The ledger continues after line {0}, head {1}.\nThe damaged one was kept beside it.':
    '账本从第 {0} 行之后继续，末端 {1}。\n损坏的账本保留在旁边。',
  'Nothing is approved.': '没有任何批准。',
  'Approved now:': '现在已批准：',
  'Revoked after that line, and still revoked:': '在那一行之后撤销，并且仍然撤销：',
  'Revoked now, because their sealed files were changed:': '现已撤销，因为它们封存的文件被改动：',
  'Approved after that line, and no longer approved:': '在那一行之后批准，现在不再批准：',
  '⚠ 1 change after it cannot be read. Hooks that you revoked there are approved again, and owners that you removed are owners again.':
    '⚠ 其后有 1 处变更无法读取。你在那里撤销的钩子又成为已批准，你移除的所有者又成为所有者。',
  '⚠ {0} changes after it cannot be read. Hooks that you revoked there are approved again, and owners that you removed are owners again.':
    '⚠ 其后有 {0} 处变更无法读取。你在那里撤销的钩子又成为已批准，你移除的所有者又成为所有者。',
  'Waiting messages are checked again.\n→ /hooks': '等待的消息会重新检查。\n→ /hooks',
  'end a lockdown: start a new ledger, or continue from a good line':
    '结束锁定：新建账本，或从完好的一行继续',
  'There is no lockdown to end.': '现在没有锁定。',
  'The lockdown could not be ended.\n{0}': '无法结束锁定。\n{0}',
  'The lockdown was ended by {0}.\n{1}': '{0} 结束了锁定。\n{1}',
  'config/agent.yaml now says hooks are {0}. A file cannot switch them: they are {1}.\nTo switch them → /hooks {2}':
    'config/agent.yaml 现在写着钩子为 {0}。文件不能切换它们：现在是 {1}。\n要切换 → /hooks {2}',
}
