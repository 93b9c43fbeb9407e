import type { Catalogue } from '../catalogues.ts'

/** Tool calls that wait for a person, and grants. */
export const questions: Catalogue = {
  'No tool call that you may answer has this handle.\n→ /hooks asks':
    '没有你可以回答的工具调用使用这个代码。\n→ /hooks asks',
  'show all of it:\n→ /hooks asks {0}': '全部显示：\n→ /hooks asks {0}',
  '→ /y {0} session': '→ /y {0} session',
  'or deny with a reason for the agent:\n→ /n {0} because…': '或拒绝并告诉智能体原因：\n→ /n {0} 原因…',
  '{0} May {1} use {2}?': '{0} 允许 {1} 使用 {2} 吗？',
  'in {0}': '位置 {0}',
  'why: {0}': '原因：{0}',
  'gate.yaml lists it under "ask"': 'gate.yaml 在“ask”下列出了它',
  'why: {0}: {1}': '原因：{0}：{1}',
  '{0} has stopped waiting. Your answer counts when it is resumed:\n{1}':
    '{0} 已不再等待。恢复时你的回答生效：\n{1}',
  'hookgate was started again. Your answer counts when {0} asks again.':
    'hookgate 重新启动过。{0} 再次询问时你的回答生效。',
  'denied automatically {0}': '自动拒绝：{0}',
  'or change it:\n→ /edit {0} <new text>': '或修改它：\n→ /edit {0} <新内容>',
  'or without a question from now on:\n→ /y {0} always': '或从现在起不再询问：\n→ /y {0} always',
  'Allowed once': '已允许一次',
  'Allowed once by {0}': '{0} 允许了一次',
  'Allowed for this session, with exactly these arguments': '本次会话内允许，仅限完全相同的参数',
  'Allowed for its session by {0}': '{0} 允许在其会话内使用',
  'Allowed with your change': '按你的修改允许',
  'Allowed with a change by {0}': '按 {0} 的修改允许',
  'Denied by {0}': '{0} 拒绝了',
  Denied: '已拒绝',
  'Denied, with your reason': '已拒绝，附上你的原因',
  'Denied: nobody answered in time': '已拒绝：没有人及时回答',
  'Cancelled: the agent stopped waiting': '已取消：智能体不再等待',
  'Denied: too many questions waited': '已拒绝：等待的问题太多',
  'Denied: this gate has no owner': '已拒绝：这个网关没有所有者',
  'The answer counts when it is resumed:\n{0}': '恢复时回答生效：\n{0}',
  'The answer counts when {0} asks again.': '{0} 再次询问时回答生效。',
  'The answer counts when {0} asks again. Write to it that it should go on.':
    '{0} 再次询问时回答生效。请发消息让它继续。',
  '{0}.\n{1} of {2}:\n{3}{4}{5}': '{0}。\n{2} 的 {1}：\n{3}{4}{5}',
  'tool calls that wait for your decision, or one in full': '等你决定的工具调用，或其中一个的全部内容',
  'No waiting tool call has the handle {0}.\n→ /hooks asks':
    '没有等待的工具调用使用代码 {0}。\n→ /hooks asks',
  '… and {0} more. Answer some, then look again.\n→ /hooks asks':
    '…… 还有 {0} 个。请先回答一些，再看一次。\n→ /hooks asks',
  'No tool call waits for your decision.\n→ /hooks log': '没有工具调用等你决定。\n→ /hooks log',
  '1 tool call waits for your decision.': '1 个工具调用等你决定。',
  '{0} tool calls wait for your decision.': '{0} 个工具调用等你决定。',
  'Nothing was changed: the question is over.\n→ /hooks asks': '没有更改：这个问题已结束。\n→ /hooks asks',
  'Nothing was changed: it was already answered. {0}.\n→ /hooks asks':
    '没有更改：它已有回答。{0}。\n→ /hooks asks',
  'Type this with your own reason. The agent gets it:\n→ /n {0} because…':
    '请输入下面的命令并写上你的原因。智能体会收到：\n→ /n {0} 原因…',
  'Reply to this message with your reason. The call is denied, and the agent gets it.\nOr type:\n→ /n {0} because…':
    '请回复这条消息并写上原因。调用会被拒绝，智能体会收到原因。\n或者输入：\n→ /n {0} 原因…',
  'Nothing was changed. Type one of these:\n→ /y {0}\n→ /y {1} session':
    '没有更改。请输入其中一个：\n→ /y {0}\n→ /y {1} session',
  '→ /edit {0} <new text>': '→ /edit {0} <新内容>',
  'Type this with the new text:\n{0}': '请输入下面的命令和新的内容：\n{0}',
  'Reply to this message with the new {0}. The call runs with it, unless a hook blocks it. Now it is:':
    '请回复这条消息，写上新的 {0}。调用会用它运行，除非有钩子拦截。现在是：',
  'Or type:\n{0}': '或者输入：\n{0}',
  'Nothing was changed: the new text has {0} characters, and at most {1} are possible.':
    '没有更改：新的内容有 {0} 个字符，最多 {1} 个。',
  'let a tool run with another command or text': '让工具用另一个命令或内容运行',
  'Name the card: type /edit, the five characters at its top, and the new text.\n→ /hooks asks':
    '请指明卡片：输入 /edit、卡片顶部的五个字符和新的内容。\n→ /hooks asks',
  'Nothing was changed: this call cannot be changed. Allow it, or deny it with a reason.':
    '没有更改：这个调用不能修改。请允许它，或附上原因拒绝。',
  'This call: 1 hour': '此调用：1 小时',
  'This call: today': '此调用：今天',
  'This call: 30 days': '此调用：30 天',
  'This call: 10 uses': '此调用：10 次',
  'Pattern: 1 hour': '模式：1 小时',
  'Pattern: today': '模式：今天',
  'Pattern: 30 days': '模式：30 天',
  'Pattern: 10 uses': '模式：10 次',
  'for 1 use': '1 次',
  'for {0} uses': '{0} 次',
  'until {0}': '到 {0}',
  '{0} of {1} in {2}': '{1} 的 {0}，位置 {2}',
  '{0}{1} matches as a whole: {2}': '{0}{1} 整体匹配：{2}',
  'with any {0}': '任意 {0}',
  'This call: exactly these arguments': '此调用：完全相同的参数',
  'Pattern: calls like this one': '模式：类似的调用',
  '→ /y {0} always {1} 1h': '→ /y {0} always {1} 1h',
  '{0} Allow without a question from now on?': '{0} 从现在起不再询问就允许吗？',
  '⚠ It may run other programs or files, and these can change after your yes. No pattern is offered.':
    '⚠ 它可能运行其他程序或文件，你同意之后它们可能会变。因此不提供模式。',
  '⚠ It answers nothing, because its program can run others. Such calls ask. End it, and allow exactly the call.':
    '⚠ 它不再生效，因为它的程序可以运行其他程序。这类调用会询问。请结束它，改为只允许完全相同的调用。',
  'Instead of 1h: today, 30d, or a number of uses such as 10.':
    '可以用来代替 1h 的有：today、30d，或次数如 10。',
  '{0} is neither a shape nor an end. Type one of these:\n→ always exact 1h\n→ always pattern 30d\n→ always pattern 10 <pattern>':
    '{0} 既不是形式也不是期限。请输入其中一个：\n→ always exact 1h\n→ always pattern 30d\n→ always pattern 10 <pattern>',
  'No pattern can be derived for this call. Use exact, or type a pattern of your own.':
    '无法为这个调用推出模式。请用 exact，或输入你自己的模式。',
  'Nothing was changed, and the call still waits. {0}\n{1}': '没有更改，调用仍在等待。{0}\n{1}',
  '{0} gave a grant {1}:\n{2}\n→ /grants': '{0} 给出了授权（{1}）：\n{2}\n→ /grants',
  'Allowed, and from now on without a question {0}:\n{1}\n→ /grants':
    '已允许，从现在起不再询问（{0}）：\n{1}\n→ /grants',
  'From now on allowed without a question {0}:\n{1}\n→ /grants':
    '从现在起不再询问就允许（{0}）：\n{1}\n→ /grants',
  'Nothing was changed. Only an owner gives a grant. You can answer this call:\n→ /y {0}\n→ /n {1}':
    '没有更改。只有所有者可以给出授权。你可以回答这个调用：\n→ /y {0}\n→ /n {1}',
  'Nothing was changed. No grant can answer this question, because the hook that asks is not sealed.':
    '没有更改。授权不能回答这个问题，因为询问的钩子没有封存。',
  'Nothing was changed. This call is too long for a grant, because the card cannot show all of it.':
    '没有更改。这个调用太长，不能授权，因为卡片无法全部显示。',
  'Nothing was changed. {0}': '没有更改。{0}',
  '{0}, by {1}': '{0}，由 {1} 给出',
  '{0}, {1} left, by {2}': '{0}，还剩 {1}，由 {2} 给出',
  'There are no grants. The card of a tool call offers one: Allow always…':
    '没有授权。工具调用的卡片上可以给出：总是允许…',
  '1 grant': '1 个授权',
  '{0} grants': '{0} 个授权',
  'Page {0} of {1} → /grants {2}': '第 {0} 页，共 {1} 页 → /grants {2}',
  'End one → /grants revoke <handle>': '结束一个 → /grants revoke <handle>',
  'Nothing was changed. No grant has the handle {0}.\n→ /grants':
    '没有更改。没有授权使用代码 {0}。\n→ /grants',
  'The grant was not ended. {0}\n→ /grants': '授权没有结束。{0}\n→ /grants',
  '{0} ended all {1} grants.': '{0} 结束了全部 {1} 个授权。',
  'All {0} grants have ended. Such calls ask again.': '全部 {0} 个授权已结束。这类调用会再次询问。',
  '{0} ended a grant:\n{1}': '{0} 结束了一个授权：\n{1}',
  'The grant has ended. Such calls ask again:\n{0}': '授权已结束。这类调用会再次询问：\n{0}',
  'tool calls that run without a question, and their end': '不再询问就运行的工具调用，以及它们的期限',
  'Type one of these:\n→ /grants\n→ /grants revoke <handle>\n→ /grants revoke all':
    '请输入其中一个：\n→ /grants\n→ /grants revoke <handle>\n→ /grants revoke all',
  Edit: '修改',
  'Allow always…': '总是允许…',
  'Allow always': '总是允许',
  'End the grant': '结束授权',
  End: '结束',
  'Yes, change it': '是，更改',
  'No, keep it': '否，保留',
}
