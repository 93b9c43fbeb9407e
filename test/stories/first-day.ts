import { mkdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { put, type Proposal } from '../e2e/rig.ts'
import { hears, reads, talk, words, type Scene, type Story } from './hands.ts'

/** The agent asks before each call of its shell. */
export const prepare = (home: string): void => {
  mkdirSync(join(home, '.hookgate'), { recursive: true })
  writeFileSync(join(home, '.hookgate', 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
}
const hook = (decision: string, reason: string): string =>
  `#!/bin/sh\nprintf '%s' '{"decision": "${decision}", "reason": "${reason}"}'\n`
const careful: Proposal = {
  event: 'pre_tool_call',
  matcher: { tool: '^bash$', pattern: 'rm -r' },
  command: './careful.sh',
  on_error: 'block',
}
const budget: Proposal = {
  event: 'pre_llm_call',
  type: 'builtin',
  command: 'budget',
  on_error: 'block',
  limits: { session: { steps: 2 } },
}
/** Its own name and reason do not fit its matcher, or it would hide its own card. */
const letters: Proposal = {
  event: 'on_outbound_message',
  matcher: 'Dear',
  command: './letters.sh',
  on_error: 'block',
}

/** Reads all of the card of what waits, and says yes to it. */
const approve = async (owner: Scene['owner']): Promise<void> => {
  await owner.tap(words('Details', '详情'))
  await owner.tap(words('Approve', '批准'))
}
const waits = words('A hook waits for you:', '一个钩子在等你批准：')

/** The file proposes these from now on. */
const propose = ({ program }: Scene, ...hooks: readonly Proposal[]): Promise<void> =>
  // YAML 1.2 is a superset of JSON.
  writeFile(join(program.workspace, 'config/shell_hooks.yaml'), JSON.stringify({ hooks }))

/** What happens on the first day, in order, and what a person reads then. */
export const day: Story = [
  [
    'the list says that hooks are off',
    async ({ owner }) => {
      await owner.say('/hooks')
      await reads(owner, words('Hooks are OFF', '钩子已关闭'))
    },
  ],
  [
    'a card comes; a tap approves it, and the next one turns hooks on',
    async (at) => {
      await put(at.program, 'careful.sh', hook('block', 'Deleting needs a person.'))
      await propose(at, careful)
      await reads(at.owner, waits)
      await at.owner.look('card')
      await approve(at.owner)
      await reads(at.owner, words('✓ Approved: pre_tool_call', '✓ 已批准：pre_tool_call'))
      await at.owner.look('approved')
      await at.owner.tap(words('Turn hooks on', '开启钩子'))
      await reads(at.owner, words('Hooks are ON', '钩子已开启'))
      await at.owner.preferences(words('Approved', '已批准'), 'preferences')
    },
  ],
  [
    'a blocked step is told',
    async ({ owner }) => {
      await owner.say('!rm -r old')
      await reads(owner, words('Blocked: main’s call of bash.', '已拦截：main 调用 bash。'))
      await hears(owner, 'I did not run bash')
    },
  ],
  [
    'a call that asks is denied with a reason in a reply',
    async ({ owner }) => {
      await owner.say('!touch one.txt')
      const asked = words(
        'gate.yaml says to ask you about this tool.',
        'gate.yaml 要求使用这个工具前先问你。',
      )
      expect(await reads(owner, asked)).toContain('\nmain · bash · ')
      await owner.look('asked')
      await owner.tap(words('More…', '更多…'))
      await owner.tap(words('Deny with a reason', '拒绝并说明理由'))
      await owner.reply('use two.txt')
      await reads(owner, words('Denied, with your reason', '已拒绝，附上你的原因'))
      await hears(owner, 'The person said no: use two.txt')
    },
  ],
  [
    'a question of the agent is answered with a reply',
    async ({ owner }) => {
      await owner.say('ask Which colour? | red | blue')
      await reads(owner, words('main asks you:', 'main 问你：'))
      await owner.look('question')
      await owner.tap(words('In my own words', '用我自己的话'))
      await owner.reply('a dark green')
      await reads(owner, words('Answered by you', '你已回答'))
      await hears(owner, 'a dark green')
    },
  ],
  [
    'a grant answers the next such call, is listed, and ends by a tap',
    async ({ owner }) => {
      await owner.say('!touch three.txt')
      await reads(owner, words('touch three.txt', 'touch three.txt'))
      await owner.tap(words('More…', '更多…'))
      await owner.tap(words('Allow always…', '总是允许…'))
      await reads(owner, words('Allow without a question from now on?', '从现在起不再询问就允许吗？'))
      await owner.look('shapes')
      await owner.tap(words('This call: 10 uses', '此调用：10 次'))
      await reads(
        owner,
        words('Allowed, and from now on without a question for 10 uses', '已允许，从现在起不再询问（10 次）'),
      )
      await hears(owner, 'No output.')
      await talk(owner, '!touch three.txt', 'No output.')
      await owner.say('/grants')
      await reads(owner, words('for 10 uses, 9 left', '10 次，还剩 9'))
      await owner.look('grants')
      await owner.tap(words('End', '结束'))
      await reads(owner, words('The grant has ended.', '授权已结束。'))
    },
  ],
  [
    'a budget is spent, told and extended',
    async (at) => {
      await propose(at, careful, budget)
      await reads(at.owner, waits)
      await approve(at.owner)
      await reads(at.owner, words('✓ Approved: pre_llm_call', '✓ 已批准：pre_llm_call'))
      for (const said of ['one', 'two']) {
        await talk(at.owner, `say step ${said}`, `step ${said}`)
      }
      await at.owner.say('say step three')
      await reads(at.owner, words('Blocked: main did not ask its model.', '已拦截：main 没有询问模型。'))
      await at.owner.look('spent')
      await at.owner.tap(words('Extend', '延长'))
      await reads(
        at.owner,
        words(
          'Extended: main gets the limits of this session once more.',
          '已延长：main 再得到一次本次会话的限额。',
        ),
      )
      await talk(at.owner, 'say step four', 'step four')
      await at.owner.say('/budget')
      await reads(at.owner, words('this session: 3 of 4 steps, 1 left', '本次会话：'))
    },
  ],
  [
    'a message is held, read and released',
    async (at) => {
      await put(at.program, 'letters.sh', hook('ask', 'It is a letter.'))
      await propose(at, careful, budget, letters)
      await reads(at.owner, waits)
      await approve(at.owner)
      await reads(at.owner, words('✓ Approved: on_outbound_message', '✓ 已批准：on_outbound_message'))
      await at.owner.say('say Dear customer, it is paid.')
      await reads(at.owner, words('Held: a message from main', '待定：main 发往'))
      await at.owner.look('held')
      await at.owner.preferences(words('Dear customer', 'Dear customer'), 'held-preferences')
      await at.owner.tap(words('Release', '放行'))
      await reads(at.owner, words('Released: a message from main', '已放行：main 发往'))
      await hears(at.owner, 'Dear customer, it is paid.')
    },
  ],
]
