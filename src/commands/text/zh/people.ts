import type { Catalogue } from '../catalogues.ts'

/** The people of the gate, and what they say to an agent. */
export const people: Catalogue = {
  'I answered you in private. If nothing came, write /start to me in a private chat, then ask again.':
    '我已在私聊里回答你。如果没有收到，请在私聊里给我发 /start，然后再问一次。',
  'The answer is not for a group, and I know no private chat with you. Write /start to me in a private chat, then ask there.':
    '这个回答不适合群聊，而我还没有与你的私聊。请在私聊里给我发 /start，然后在那里问。',
  '“{0}” ({1}) typed your code, which makes this person: {2}.\nIf you gave it to this person:\n→ /y {3}\nIf it is somebody else:\n→ /n {4}':
    '“{0}”（{1}）输入了你的配对码，此人将成为：{2}。\n如果是你给此人的：\n→ /y {3}\n如果是别人：\n→ /n {4}',
  owner: '所有者',
  viewer: '查看者',
  'approver for all agents and tools': '所有智能体和工具的审批者',
  'approver for the agents {0} and all tools': '智能体 {0} 和所有工具的审批者',
  'approver for all agents and the tools {0}': '所有智能体和工具 {0} 的审批者',
  'approver for the agents {0} and the tools {1}': '智能体 {0} 和工具 {1} 的审批者',
  'Paired: you are now an owner of this gate. You can type commands here.\n→ /hooks\n→ /help':
    '已配对：你现在是这个网关的所有者。你可以在这里输入命令。\n→ /hooks\n→ /help',
  'Paired: you are now an approver of this gate. You are asked here about tool calls of agents.\n→ /hooks asks':
    '已配对：你现在是这个网关的审批者。智能体的工具调用会在这里征求你的决定。\n→ /hooks asks',
  'Paired: you are now a viewer of this gate. You can look at it here.\n→ /hooks':
    '已配对：你现在是这个网关的查看者。你可以在这里查看它。\n→ /hooks',
  'your id and this chat': '你的 ID 和这个聊天',
  'You are {0} ({1}), an owner.': '你是 {0}（{1}），所有者。',
  'You are {0} ({1}), {2}.': '你是 {0}（{1}），{2}。',
  'This chat is {0}, {1}.': '这个聊天是 {0}，{1}。',
  private: '私聊',
  'with others': '有其他人',
  "The gate's revision is {0}.": '网关的修订号是 {0}。',
  'end this session and start the next': '结束本次会话，开始下一次',
  'This session ends; your next message starts a new one.': '本次会话结束；你的下一条消息会开始新的会话。',
  'The agent is not connected; your next message starts a new session.':
    '智能体未连接；你的下一条消息会开始新的会话。',
  'stop what the agent is doing': '停止智能体正在做的事',
  'The agent is not connected; nothing runs.': '智能体未连接；没有任何运行。',
  'Stopping.': '正在停止。',
  'Nothing is running: the agent works on no message of this chat.':
    '没有任何运行：智能体没有在处理这个聊天的消息。',
  'have the agent work until this is done; /goal shows it, /goal off ends it':
    '让智能体一直工作到完成；/goal 显示目标，/goal off 结束目标',
  'A goal has at most {0} characters. Put the details into a message, then name the goal.':
    '目标最多 {0} 个字符。请把细节写进消息，再写目标。',
  'The agent works on it until it claims that it is done and no hook objects. /stop stops it, /goal off ends the goal.':
    '智能体会一直处理，直到它声称完成且没有钩子反对。/stop 停止它，/goal off 结束目标。',
  'The agent is not connected.': '智能体未连接。',
  'The agent will tell you its goal.': '智能体会告诉你它的目标。',
  'The agent is told to end its goal, and answers.': '已告诉智能体结束目标，它会回答。',
  'have the agent replace a long conversation with a summary': '让智能体用摘要代替很长的对话',
  'The agent compacts the conversation as soon as it is free, and reports the result.':
    '智能体一有空就压缩对话，并报告结果。',
  'English → /lang en\n中文 → /lang zh': 'English → /lang en\n中文 → /lang zh',
  'the language of hookgate in this chat: English or 中文': 'hookgate 在这个聊天里的语言：English 或 中文',
  '{0} from the start': '{0} 起初就是',
  '{0} with the console’s code': '{0} 使用控制台的配对码加入',
  '{0} by {1}': '{0} 由 {1} 确认',
  '{0} {1} (you), {2}': '{0} {1}（你），{2}',
  'logged in again, so must pair again': '重新登录过，必须重新配对',
  '1 person has a role': '1 人有角色',
  '{0} people have a role': '{0} 人有角色',
  'One more → /owners add owner|approver|viewer\nAnother role → /owners role <handle> <role>\nOne less → /owners remove <handle>':
    '添加一人 → /owners add owner|approver|viewer\n更改角色 → /owners role <handle> <role>\n移除一人 → /owners remove <handle>',
  'Nothing changed. {0}\n{1}': '没有更改。{0}\n{1}',
  '{0} has no role in this gate any more. Removed by {1}.': '{0} 在这个网关不再有角色。由 {1} 移除。',
  '{0} has no role in this gate any more. The owners have been told.':
    '{0} 在这个网关不再有角色。已通知所有者。',
  'You have no role in this gate any more. Removed by {0}.': '你在这个网关不再有角色。由 {0} 移除。',
  'You have another role now: {0}. Changed by {1}.': '你现在的角色是：{0}。由 {1} 更改。',
  '{0} has another role now: {1}. Changed by {2}.': '{0} 现在的角色是：{1}。由 {2} 更改。',
  '{0} has another role now: {1}. The owners have been told.': '{0} 现在的角色是：{1}。已通知所有者。',
  'Nothing changed. Nobody here is {0}.\n→ /owners': '没有更改。这里没有 {0}。\n→ /owners',
  'Nothing changed. {0} people are called {1}. Use the handle.\n→ /owners':
    '没有更改。有 {0} 人叫 {1}。请用代码。\n→ /owners',
  'Nothing changed. This is the last owner. Add another owner first.\n→ /owners add owner':
    '没有更改。这是最后一位所有者。请先添加另一位所有者。\n→ /owners add owner',
  '{0} Remove {1}, {2}?': '{0} 移除 {1}（{2}）吗？',
  '{0} Change the role of {1} from {2} to {3}?': '{0} 把 {1} 的角色从{2}改为{3}吗？',
  'The grants that this person gave end with it.': '此人给出的授权也随之结束。',
  'A pairing code for one more person, valid once, for 30 minutes. The person becomes: {0}.\nThey send this to the bot in a private chat:\n/pair {1}\nYou are asked before it counts.':
    '给另一人的配对码，只能用一次，30 分钟内有效。此人将成为：{0}。\n请对方在私聊里发给机器人：\n/pair {1}\n生效前会先问你。',
  'who owns this gate, answers for it or reads it; add <role>, role <who> <role>, remove <who>':
    '谁拥有、审批或查看这个网关；add <role>、role <who> <role>、remove <who>',
  'Type one of these:\n→ /owners\n→ /owners add approver\n→ /owners role <handle> viewer\n→ /owners remove <handle>':
    '请输入其中一个：\n→ /owners\n→ /owners add approver\n→ /owners role <handle> viewer\n→ /owners remove <handle>',
  'a code for one more owner': '给另一位所有者的配对码',
  'a link to the web page': '网页的链接',
  '{0}\nValid once, for 5 minutes, on the machine where hookgate runs.':
    '{0}\n只能用一次，5 分钟内有效，仅限运行 hookgate 的机器。',
  'This pairing request is over. A new code → /pair': '这个配对请求已结束。新的配对码 → /pair',
  'Nothing changed: the gate’s folder could not be written.': '没有更改：无法写入网关的文件夹。',
  'Pairing was refused: the owner says that this is not you. Ask them if that was a mistake.':
    '配对被拒绝：所有者说这不是你。如果弄错了，请问对方。',
  'Refused: {0} has no role in this gate. A new code → /owners add':
    '已拒绝：{0} 在这个网关没有角色。新的配对码 → /owners add',
  '{0} is new in this gate: {1}, by {2}.': '{0} 新加入这个网关：{1}，由 {2} 确认。',
  '{0} is new in this gate: {1}. The other owners have been told.':
    '{0} 新加入这个网关：{1}。已通知其他所有者。',
  'Nothing changed: this card is over.\n→ /owners': '没有更改：这张卡片已结束。\n→ /owners',
  'Nothing changed.\n→ /owners': '没有更改。\n→ /owners',
  '{0} is not a role. The roles are {1}.': '{0} 不是角色。角色有 {1}。',
  'Only an approver’s role names agents and tools.': '只有审批者的角色可以指定智能体和工具。',
  'Write agent or tool before {0}, such as:\n→ /owners add approver agent main tool bash':
    '请在 {0} 前写 agent 或 tool，例如：\n→ /owners add approver agent main tool bash',
  'This gate has no agent {0}. Its agents are {1}.': '这个网关没有智能体 {0}。它的智能体有 {1}。',
  'This gate has no agent {0}. Did you mean {1}?': '这个网关没有智能体 {0}。你是指 {1} 吗？',
}
