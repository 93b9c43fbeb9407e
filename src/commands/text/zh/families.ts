import type { Catalogue } from '../catalogues.ts'

/** The answers to the commands about hooks, held messages and cards, and their help. */
export const families: Catalogue = {
  // Approving and revoking.
  'no file': '没有文件',
  'approved as “closed” it would block': '以“closed”批准则会拦截',
  '✓ Approved: {0}': '✓ 已批准：{0}',
  '✓ Already approved: {0}': '✓ 先前已批准：{0}',
  'its failure cannot block anything': '它的失败无法拦截任何东西',
  'its failures block only where its file says so': '只有在它的文件写明时，它的失败才会拦截',
  '{0} is already approved, and no file proposes it any longer.': '{0} 已获批准，且不再有文件提议它。',
  'It is invalid.': '它无效。',
  '✗ {0} cannot be approved.\n{1}': '✗ {0} 无法批准。\n{1}',
  '✗ {0} was not approved: at {1} {2}. Approve it without “{3}”.':
    '✗ {0} 未批准：在 {1} 上，{2}。请不带“{3}”再批准一次。',
  '✗ {0} was not approved.\n{1}': '✗ {0} 未批准。\n{1}',
  '{0}\n⚠ The earlier version is still approved, too: {1}': '{0}\n⚠ 较早的版本也仍处于批准状态：{1}',
  'from {0}\n  sealed: {1}\n  {2}': '来自 {0}\n  封存：{1}\n  {2}',
  'Nothing was approved.\n{0} names {1} different programs, and you have not seen all of them:':
    '未批准任何钩子。\n{0} 对应 {1} 个不同的程序，你还没有全部看过：',
  '{0}: the proposals under that name changed since you saw them.':
    '{0}：你看过之后，这个名称下的提议有改动。',
  '{0} is not what you saw.': '{0} 和你看到的不一样。',
  '{0}: it may have changed since you saw it. This is its current state.':
    '{0}：你看过之后它可能有改动。这是它目前的状态。',
  '{0}: you have not seen all of it yet.': '{0}：你还没有看完它的全部内容。',
  'Nothing was approved.': '未批准任何钩子。',
  'let a proposed hook fire': '批准一个提议的钩子，让它触发',
  'It fires from the next event.': '它从下一个事件起触发。',
  'They fire from the next event.': '它们从下一个事件起触发。',
  'end an approval, on all its events': '撤销一个钩子在所有事件上的批准',
  '{0} was not approved on {1}.': '{0} 在 {1} 上没有获得过批准。',
  'Revoked: {0}\n  {1}': '已撤销：{0}\n  {1}',
  '✗ {0} could not be revoked on {1}: it stays approved.\n{2}':
    '✗ {0} 在 {1} 上无法撤销：它仍处于批准状态。\n{2}',
  'It does not fire any longer. Programs that still ran were stopped.':
    '它不再触发。仍在运行的程序已被停止。',
  'They do not fire any longer. Programs that still ran were stopped.':
    '它们不再触发。仍在运行的程序已被停止。',

  // Comparing and showing.
  'It is not approved, so there is nothing to compare it with.': '它未获批准，所以没有可比较的版本。',
  'No file proposes it any longer. The approved version keeps running.':
    '不再有文件提议它。已批准的版本继续运行。',
  'It cannot be compared.': '无法比较。',
  'Nothing changed: what the file proposes is what you approved.': '没有改动：文件提议的就是你批准的版本。',
  'Approved → proposed now': '已批准 → 现在提议',
  'what changed since you approved it': '你批准之后有哪些改动',
  'Name the hook: /hooks diff <handle>, as /hooks lists it.':
    '请指明钩子：/hooks diff <代码>，代码见 /hooks 的列表。',
  'one hook, whole': '完整显示一个钩子',
  'Name the hook: /hooks show <handle>, as /hooks lists it.':
    '请指明钩子：/hooks show <代码>，代码见 /hooks 的列表。',

  // Testing.
  'run each approved hook on a sample': '用样本运行每个已批准的钩子',
  'An attack runs at a terminal, on a gate of its own: hookgate attack':
    '攻击测试在终端运行，针对它自己建立的网关：hookgate attack',
  'Doctor did not run: it takes nothing after “/hooks doctor”, but got {0}.{1}\nTo check every approved hook → /hooks doctor':
    '没有运行检查：“/hooks doctor”后面不应有内容，却收到 {0}。{1}\n检查所有已批准的钩子 → /hooks doctor',
  'Name the hook: /hooks test <handle>, as /hooks lists it.':
    '请指明钩子：/hooks test <代码>，代码见 /hooks 的列表。',
  "To try it first, at a terminal: hookgate test {0} --command '…'{1}":
    "想先试一试，请在终端运行：hookgate test {0} --command '…'{1}",
  '{0} is not approved, and only approved hooks run here.{1}': '{0} 未获批准，这里只运行已批准的钩子。{1}',
  'Its file changed since approval; {0}.\n{1}': '它的文件在批准后有改动；{0}。\n{1}',
  'run one approved hook on a sample': '用样本运行一个已批准的钩子',

  // Held messages.
  '1 file of {0}': '1 个文件，{0}',
  '{0} files of {1}': '{0} 个文件，共 {1}',
  '1 character': '1 个字符',
  '{0} characters': '{0} 个字符',
  'It says:\n{0}': '内容：\n{0}',
  '{0}\n… and {1} more characters. The web page shows all of it.':
    '{0}\n… 还有 {1} 个字符。网页上可以看到全部。',
  'Preferences shows its text.': '内容见“设置”。',
  'Its text is shown only in a private chat.': '内容只在私聊中显示。',
  'Its text is not shown before you ask for it.': '在你要求之前不显示内容。',
  'Its text is not shown before you ask for it:\n→ /hooks held {0}':
    '在你要求之前不显示内容：\n→ /hooks held {0}',
  '{0} Held: a message from {1} to {2}, {3}. It waits for your decision.':
    '{0} 待定：{1} 发往 {2} 的消息，{3}。等你决定。',
  'Later messages to that chat wait behind it for up to a minute. Without an answer it ends within a day.':
    '发往该聊天的后续消息最多排在它后面等一分钟。如果没有答复，它会在一天内失效。',
  'messages that wait for your decision, or one with its text': '等你决定的消息，或其中一条的内容',
  '… and {0} more. Answer some, then look again.\n→ /hooks held':
    '… 还有 {0} 条。先处理一些，再来查看。\n→ /hooks held',
  'No message waits for your decision.\n→ /hooks log': '没有消息在等你决定。\n→ /hooks log',
  'Nothing was changed: the message no longer waits, or it is not the one you saw.\n→ /hooks held':
    '未作任何更改：这条消息不再等待，或者不是你看到的那一条。\n→ /hooks held',
  'Name the message by the five characters at the top of its card.\n→ /hooks held':
    '请用卡片顶部的五位代码指明消息。\n→ /hooks held',
  'No held message has the handle {0}.\n→ /hooks held': '没有代码为 {0} 的待定消息。\n→ /hooks held',
  'send a held message': '放行一条待定消息',
  'Released: a message from {0} to {1} ({2}).\nHooks check it once more. It is sent unless one blocks it.':
    '已放行：{0} 发往 {1} 的消息（{2}）。\n钩子会再检查一次。只要没有钩子拦截，就会发出。',
  'drop a held message': '丢弃一条待定消息',
  'Withheld: a message from {0} to {1} ({2}).': '已扣留：{0} 发往 {1} 的消息（{2}）。',

  // Help.
  'An agent prepares hooks; only you activate them.': '智能体准备钩子；只有你能启用它们。',
  'Start with // to send the agent a text that begins with a slash.':
    '要向智能体发送以斜杠开头的文字，请以 // 开头。',
  'Hooks can block or ask:': '钩子可以拦截或询问：',
  'Hooks can block or ask at: {0}.': '钩子可以拦截或询问的事件：{0}。',
  'Hooks can allow or block:': '钩子可以允许或拦截：',
  'Hooks can allow or block at: {0}.': '钩子可以允许或拦截的事件：{0}。',
  'Hooks can block:': '钩子可以拦截：',
  'Hooks can block at: {0}.': '钩子可以拦截的事件：{0}。',
  'Hooks can rewrite:': '钩子可以改写：',
  'Hooks can rewrite at: {0}.': '钩子可以改写的事件：{0}。',
  'Hooks can add context:': '钩子可以添加上下文：',
  'Hooks can add context at: {0}.': '钩子可以添加上下文的事件：{0}。',
  'Hooks only watch:': '钩子仅观察：',
  'Hooks only watch at: {0}.': '钩子仅观察的事件：{0}。',
  'context goes to: {0}': '上下文加到：{0}',
  'a matcher searches: nothing by itself': '匹配器默认不搜索任何字段',
  'a matcher searches: {0}': '匹配器搜索：{0}',
  'fields: {0}': '字段：{0}',
  '{0} is not an event. → /hooks help events': '{0} 不是事件。→ /hooks help events',
  '{0} is not an event. Did you mean {1}?': '{0} 不是事件。你是指 {1} 吗？',
  'All events → /hooks help events': '所有事件 → /hooks help events',

  // Cards that wait.
  'Nothing waits for you.\n→ /hooks': '没有钩子在等你批准。\n→ /hooks',
  '… and 1 more waits. Answer some, then look again.\n→ /hooks pending more':
    '… 还有 1 个在等待。先处理一些，再来查看。\n→ /hooks pending more',
  '… and {0} more wait. Answer some, then look again.\n→ /hooks pending more':
    '… 还有 {0} 个在等待。先处理一些，再来查看。\n→ /hooks pending more',
  'a card for each hook that waits': '每个待批准钩子的卡片',
  'Name the card: type {0} and the five characters at its top.\n→ /hooks pending\n→ /hooks asks':
    '请指明卡片：输入 {0} 和卡片顶部的五位代码。\n→ /hooks pending\n→ /hooks asks',
  'say yes to a card: approve the hook, or let the tool run': '同意卡片：批准钩子，或让工具运行',
  'say no to a card: leave the hook waiting, or deny the tool': '不同意卡片：让钩子继续等待，或拒绝工具',
  'It does not wait for an approval.\n→ /hooks': '它不在等待批准。\n→ /hooks',
  'It changed since approval; {0}.': '它在批准后有改动；{0}。',
  'It does not fire.': '它不触发。',
  'Not now: {0}\n  {1}\n{2} It stays pending, and you are not asked again.\n→ /hooks pending':
    '暂不批准：{0}\n  {1}\n{2}它仍在等待批准，不会再次询问你。\n→ /hooks pending',
  'You said “not now” several times. For an hour, new proposals come together in one message.':
    '你已多次选择“暂不”。一小时内，新的提议会合并成一条消息。',

  // Replies to cards.
  'Nothing was changed: reply yes or no to this card, or tap a button of it. The agent did not get your message.':
    '未作任何更改：请用“是”或“否”回复这张卡片，或点它的按钮。智能体没有收到你的消息。',
  'Nothing was changed: this card is over. The agent did not get your message. To send it to the agent, write it without a reply.':
    '未作任何更改：这张卡片已结束。智能体没有收到你的消息。要发给智能体，请不用回复的方式再写一次。',
  'The agent did not get your message. To send it to the agent, write it without a reply.':
    '智能体没有收到你的消息。要发给智能体，请不用回复的方式再写一次。',
  '“{0}” was not sent to the agent. Tap a button, or reply to this message. To say it to the agent, write it in a sentence.':
    '“{0}”没有发给智能体。请点按钮，或回复这条消息。要对智能体说，请写成一句话。',
  '“{0}” was not sent to the agent, because {1} tool calls wait for your decision. Reply to the card that you mean. To say it to the agent, write it in a sentence.\n→ /hooks asks':
    '“{0}”没有发给智能体，因为有 {1} 个工具调用在等你决定。请回复你所指的卡片。要对智能体说，请写成一句话。\n→ /hooks asks',

  // The start, and the agents of a gate.
  'The text behind /start came with a link, so nothing was done with it.':
    '/start 后面的文字来自链接，所以没有处理它。',
  'The switch and every hook → /hooks': '开关和所有钩子 → /hooks',
  'All that you can type → /help': '所有可输入的命令 → /help',
  'what is connected, and where to begin': '连接了什么，从哪里开始',
  'This is hookgate. An agent prepares hooks; only you activate them.':
    '这里是 hookgate。智能体准备钩子；只有你能启用它们。',
  'Connected: the agent {0} and the messengers {1}.': '已连接：智能体 {0}，聊天应用 {1}。',
  'Connected: the messengers {0}. The agent {1} is not connected yet.':
    '已连接：聊天应用 {0}。智能体 {1} 尚未连接。',
  'not running': '未运行',
  'not running · {0} waiting': '未运行 · {0} 条等待中',
  idle: '空闲',
  working: '工作中',
  'working · {0} waiting': '工作中 · {0} 条等待中',
  '→ {0} (this chat)\n  {1}': '→ {0}（当前聊天）\n  {1}',
  'the agents of this gate, and which one this chat talks to': '这个网关的智能体，以及当前聊天与哪一个对话',
  'let this chat talk to another agent': '让当前聊天与另一个智能体对话',
  'This chat talks to {0}.\n→ /agents': '当前聊天与 {0} 对话。\n→ /agents',
  'There is no agent {0}.\n→ /agents': '没有名为 {0} 的智能体。\n→ /agents',
  'There is no agent {0}. Did you mean {1}?\n→ /agents': '没有名为 {0} 的智能体。你是指 {1} 吗？\n→ /agents',
  'This chat talks to {0} already.': '当前聊天已在与 {0} 对话。',
  'This chat talks to {0} from now on. {1} finishes what it was given.\n→ /agents':
    '从现在起，当前聊天与 {0} 对话。{1} 会完成已交给它的工作。\n→ /agents',

  // Budgets.
  'this turn': '本轮',
  'this session': '本次会话',
  today: '今天',
  tokens: 'token',
  dollars: '美元',
  steps: '步',
  minutes: '分钟',
  '│ ✗ {0}: the cost is not known, because no price is set': '│ ✗ {0}：费用未知，因为没有设置价格',
  '│ ✗ {0}: {1} of {2} {3}, nothing left': '│ ✗ {0}：已用 {1} / {2} {3}，没有剩余',
  '│ {0}: {1} of {2} {3}, {4} left': '│ {0}：已用 {1} / {2} {3}，剩余 {4}',
  '{0} has reported no tokens so far. Only steps and minutes limit it.':
    '{0} 至今没有报告 token。只有步数和分钟数能限制它。',
  'What was used before is not known, because the stored counts cannot be read. The budget blocks until you count anew.\n→ /budget extend':
    '无法读取保存的计数，所以不知道之前的用量。在你重新计数之前，预算会一直拦截。\n→ /budget extend',
  'what agents have used, and what is left': '智能体已用多少，还剩多少',
  'No budget has counted anything yet. The builtin budget in config/shell_hooks.yaml sets one, and you have to approve it.\n→ /hooks':
    '还没有预算开始计数。config/shell_hooks.yaml 中的内置钩子 budget 可以设置预算，需要你批准。\n→ /hooks',
  'No budget has the handle {0}.\n→ /budget': '没有代码为 {0} 的预算。\n→ /budget',
  'No agent {0} has a budget.\n→ /budget': '没有名为 {0} 且有预算的智能体。\n→ /budget',
  'A budget is extended 1 to {0} times.\n→ /budget extend 2':
    '预算可以延长 1 到 {0} 次。\n→ /budget extend 2',
  'Extended: {0} gets the limits of {1} once more.\n→ /budget':
    '已延长：{0} 再得到一次{1}的限额。\n→ /budget',
  'Extended: {0} gets the limits of {1} {2} more times.\n→ /budget':
    '已延长：{0} 再得到 {2} 次{1}的限额。\n→ /budget',
  'add the spent limits once more, or n times': '把用完的限额再增加一次，或 n 次',
  'The budget counts anew from now on.\n→ /budget': '从现在起，预算重新计数。\n→ /budget',
  'Several agents have spent their budgets: {0}. Name one.\n→ /budget extend {1}':
    '有多个智能体用完了预算：{0}。请指明一个。\n→ /budget extend {1}',
  'Nothing was changed: no limit is spent that an extension could raise.\n→ /budget':
    '未作任何更改：没有可以通过延长来提高的已用完限额。\n→ /budget',

  // Undo.
  'restore the files from the last snapshot of the built-in hook snapshot':
    '从内置钩子 snapshot 的上一个快照恢复文件',
  '✗ Nothing was undone: {0}': '✗ 没有撤回任何改动：{0}',
  '⚠ Not confirmed by {0}. Clients there that cannot reach the gate go by the earlier setting for at most 30 s.':
    '⚠ {0} 还没有确认。那里连不上网关的客户端最多还会按之前的设置运行 30 秒。',
  '🖥 The node {0} has joined. It came from {1} with a code of {2}.\nIf you do not know it → /nodes remove {3}':
    '🖥 节点 {0} 已加入，来自 {1}，使用的是 {2} 的代码。\n如果你不知道这件事 → /nodes remove {3}',
  '{0} · on {1}': '{0} · 在 {1} 上',
  'gate.yaml has no nodes yet. Add a line such as nodes: {port: 8790} to it and start hookgate again.':
    'gate.yaml 里还没有 nodes。请加上一行，例如 nodes: {port: 8790}，然后重新启动 hookgate。',
  'runs on the node: {0}': '运行在节点：{0}',
  'runs on every machine, on the events of that machine': '在每台机器上运行，处理该机器的事件',
  '{0} is already approved, and its node is not connected.': '{0} 已获批准，其节点未连接。',
  'Its node is not connected, so nobody knows what it proposes now. The approved version stays in force.':
    '其节点未连接，因此无法得知它现在提议什么。已批准的版本继续有效。',
  'connected · version {0}': '已连接 · 版本 {0}',
  'connected · version {0} · answers in {1} ms': '已连接 · 版本 {0} · {1} 毫秒内应答',
  'not connected': '未连接',
  'not connected · last heard {0}': '未连接 · 上次联系：{0}',
  'agents: {0}': '智能体：{0}',
  'There are no nodes yet.': '还没有节点。',
  'One more machine → /nodes add <name>\nOne less → /nodes remove <name>':
    '再加一台机器 → /nodes add <名称>\n移除一台 → /nodes remove <名称>',
  'The gate runs on {0}.': '网关运行在 {0} 上。',
  '{0} Its database cannot be reached.': '{0}无法连接到它的数据库。',
  '{0} Waiting to take over: {1}.': '{0}等待接替：{1}。',
  'Start this on the other machine within 30 minutes. The code works once.\n{0}\nYou get a message when {1} has joined.':
    '请在 30 分钟内在另一台机器上运行这一行。代码只能用一次。\n{0}\n{1} 加入后你会收到消息。',
  'The node {0} was removed by {1}. Its agents and clients are no longer served.':
    '节点 {0} 已被 {1} 移除。它的智能体和客户端不再得到服务。',
  'The node {0} is removed. Its agents and clients are no longer served.':
    '节点 {0} 已移除。它的智能体和客户端不再得到服务。',
  'the machines whose agents this gate judges': '由这个网关判断其智能体的机器',
  'Type /nodes, /nodes add <name> or /nodes remove <name>.':
    '请输入 /nodes、/nodes add <名称> 或 /nodes remove <名称>。',

  // Statistics.
  'how often hooks were asked, what they did, and how long they took': '钩子被询问的次数、所做的事和耗时',
  'the last hour': '过去 1 小时',
  'the last {0} hours': '过去 {0} 小时',
  'the last day': '过去 1 天',
  'the last {0} days': '过去 {0} 天',
  once: '1 次',
  '{0} times': '{0} 次',
  'blocked {0}': '拦截 {0}',
  'asked a person {0}': '询问人 {0}',
  'changed {0}': '改动 {0}',
  'half within {0} ms, 95 % within {1} ms': '一半在 {0} 毫秒内，95% 在 {1} 毫秒内',
  'was asked {0}': '被询问 {0}',
  'was asked as a shadow {0}': '作为影子被询问 {0}',
  'would have changed {0}': '本会改动 {0} 次',
  'the last event that it would have blocked → /hooks why {0}': '它本会拦截的最近一个事件 → /hooks why {0}',
  'the last block → /hooks why {0}': '最近一次拦截 → /hooks why {0}',
  '{0} allowed': '{0} 个放行',
  '{0} asked': '{0} 个询问',
  '{0} blocked': '{0} 个拦截',
  '{0} changed': '{0} 个改动',
  '⚠ {0} events are missing: they came too fast, or the disk failed.':
    '⚠ 缺少 {0} 个事件：来得太快，或磁盘出错。',
  'Nothing happened in {0}.': '{0}内没有发生任何事。',
  '1 event': '1 个事件',
  '{0} events': '{0} 个事件',
  '{0} in {1}': '{1}：{0}',
  '… and {0} more hooks': '……还有 {0} 个钩子',
  'No event is kept here: gate.yaml says history: {days: 0}.':
    '这里不保存事件：gate.yaml 中为 history: {days: 0}。',
  '{0}\n  is not approved, so it was never asked': '{0}\n  未获批准，因此从未被询问',
  '{0}\n  was not asked in {1}': '{0}\n  在{1}内没有被询问',
  '{0}, in {1}\n{2}': '{0}，{1}\n{2}',
  // Shadows.
  '{0}  {1} · a shadow, which never decides': '{0}  {1} · 影子，从不作决定',
  'the earlier version is still asked as a shadow': '较早的版本仍作为影子被询问',
  'since the start: not asked yet': '启动以来：尚未被询问',
  'since the start: asked {0}': '启动以来：被询问 {0} 次',
  'would have blocked {0}': '本会拦截 {0} 次',
  'would have rewritten {0}': '本会改写 {0} 次',
  'would have asked you {0}': '本会询问你 {0} 次',
  'failed {0}': '失败 {0} 次',
  'had no room for {0}': '有 {0} 次排不上',
  'would have changed nothing': '本不会改变任何事',
  'Name the hook: /hooks shadow <handle>, as /hooks lists it.':
    '请指明钩子：/hooks shadow <代码>，代码见 /hooks 的列表。',
  'Name the hook: /hooks promote <handle>, as /hooks lists it.':
    '请指明钩子：/hooks promote <代码>，代码见 /hooks 的列表。',
  'From the next event, a shadow is asked after the verdict and recorded. It never decides.\nWhat it would have done → /hooks':
    '从下一个事件起，影子在裁决之后被询问并记录。它从不作决定。\n它本会做什么 → /hooks',
  'It decides from the next event.': '它从下一个事件起作决定。',
  'They decide from the next event.': '它们从下一个事件起作决定。',
  'ask and record a proposed hook, which does not decide': '询问并记录一个提议的钩子，但不让它作决定',
  'let a shadow decide': '让一个影子作决定',
  '✓ Shadow: {0}': '✓ 影子：{0}',
  '✓ Already a shadow: {0}': '✓ 先前已是影子：{0}',
  '✓ Promoted: {0}': '✓ 已转正：{0}',
  '✗ {0} did not become a shadow.\n{1}': '✗ {0} 没有成为影子。\n{1}',
  '✗ {0} is not a shadow, so it cannot be promoted.': '✗ {0} 不是影子，所以无法转正。',
  '✗ {0} is not a shadow: it decides already.': '✗ {0} 不是影子：它已经在作决定。',
  '✗ {0} was not promoted: its file has changed since it became a shadow.\n→ /hooks diff {1}\n→ /hooks shadow {2}':
    '✗ {0} 未转正：它成为影子之后，文件有改动。\n→ /hooks diff {1}\n→ /hooks shadow {2}',
  '{0} is a shadow and did not decide: {1}': '{0} 是影子，没有作决定：{1}',
  '{0} is a shadow and was not asked: {1}': '{0} 是影子，没有被询问：{1}',
  'its answer: {0}': '它的答复：{0}',
  '– 1 shadow got it after the verdict; if it matched, its answer is kept by itself':
    '– 1 个影子在裁决之后收到它；如果匹配，其答复单独保存',
  '– {0} shadows got it after the verdict; the answers of those that matched are kept by themselves':
    '– {0} 个影子在裁决之后收到它；匹配者的答复单独保存',
  'shadow: {0}': '影子：{0}',
  '– {0} more shadows did not match': '– 另有 {0} 个影子不匹配',
  'Only shadows are asked, and none decides': '只有影子被询问，都不作决定',
  '1 shadow': '1 个影子',
  '{0} shadows': '{0} 个影子',
  '✓ shadow: asked, never decides': '✓ 影子：被询问，从不作决定',
  'shadow, changed since approval': '影子，批准后有改动',
  'gone from the file, still a shadow': '已从文件中消失，仍是影子',
  'shadow, and its node is not connected': '影子，其节点未连接',
  '{0} (a shadow only records it)': '{0}（影子只作记录）',
  Promote: '转正',
}
