import type { Catalogue } from '../catalogues.ts'

/** The history, and notices that come unasked. */
export const history: Catalogue = {
  '{0} fired: {1}': '{0} 已触发：{1}',
  '{0} did not fire: {1}': '{0} 未触发：{1}',
  '· rewrote {0}': '· 改写了 {0}',
  'tool {0}': '工具 {0}',
  'verdict: {0}': '裁决：{0}',
  'because {0}': '原因：{0}',
  'event {0}': '事件 {0}',
  'event {0} · {1} ms': '事件 {0} · {1} 毫秒',
  '– {0} more approved hooks did not match': '– 另有 {0} 个已批准的钩子不匹配',
  '– {0} did not fire: did not match': '– {0} 未触发：不匹配',
  '1 more step was blocked or failed in the hour before.\n→ /hooks log blocked':
    '前一小时里另有 1 个步骤被拦截或失败。\n→ /hooks log blocked',
  '{0} or more steps were blocked or failed in the hour before.\n→ /hooks log blocked':
    '前一小时里有 {0} 个或更多步骤被拦截或失败。\n→ /hooks log blocked',
  '{0} more steps were blocked or failed in the hour before.\n→ /hooks log blocked':
    '前一小时里另有 {0} 个步骤被拦截或失败。\n→ /hooks log blocked',
  'what the hooks decided about an event': '钩子对一个事件的决定',
  'No event has reached an approved hook yet.': '还没有事件到达已批准的钩子。',
  'There is no record of an event {0}.\n→ /hooks log': '没有事件 {0} 的记录。\n→ /hooks log',
  'to {0} · {1} · {2}': '发往 {0} · {1} · {2}',
  '1 message waits for delivery to {0}; the first came at {1}': '1 条消息等待发送到 {0}；最早的一条来自 {1}',
  '{0} messages wait for delivery to {1}; the first came at {2}':
    '{0} 条消息等待发送到 {1}；最早的一条来自 {2}',
  '1 tool call waits for your decision → /hooks asks': '1 个工具调用等你决定 → /hooks asks',
  '{0} tool calls wait for your decision → /hooks asks': '{0} 个工具调用等你决定 → /hooks asks',
  'No recent message was lost.': '近期没有丢失的消息。',
  'Nothing of that kind has happened yet.': '还没有发生这类事。',
  'Nothing has happened yet.': '还没有发生任何事。',
  'Note on {0}: {1}': '关于 {0} 的说明：{1}',
  '(and {0} more times since the last notice)': '（自上次通知以来还有 {0} 次）',
  'There was 1 more notice within a minute.\n→ /hooks log': '一分钟内另有 1 条通知。\n→ /hooks log',
  'There were {0} more notices within a minute.\n→ /hooks log': '一分钟内另有 {0} 条通知。\n→ /hooks log',
  'More tool calls of {0} wait for your decision than are shown.\n→ /hooks asks':
    '{0} 等你决定的工具调用多于所显示的。\n→ /hooks asks',
}
