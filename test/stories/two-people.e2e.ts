import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hears, holdPhone, reads, tell, words, type Hand, type Scene, type Story } from './hands.ts'

/** The agent asks before each call of its shell. */
const prepare = (home: string): void => {
  mkdirSync(join(home, '.hookgate'))
  writeFileSync(join(home, '.hookgate', 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
}

/** The second person holds a phone with the same language, whatever the owner holds. */
const benOf = ({ api, owner }: Scene): Hand => holdPhone(api, owner.language, 8, 'Ben')

const asks = words('main · bash · denied at', 'main · bash · ')

/** What happens when somebody else may answer for an agent, and what both people read then. */
const twoPeople: Story = [
  [
    'the owner asks for a code for an approver',
    async ({ owner }) => {
      await owner.say('/owners add approver')
      await reads(owner, words('approver for all agents and tools', '所有智能体和工具的审批者'))
    },
  ],
  [
    'the other person types it, and counts when the owner said yes',
    async (scene) => {
      const ben = benOf(scene)
      const told = await reads(scene.owner, words('/pair', '/pair'))
      await ben.say(/\/pair \w+/.exec(told)?.[0] ?? '')
      await reads(ben, words('The code is right.', '配对码正确。'))
      const card = await reads(
        scene.owner,
        words('“Ben” (telegram:8) typed your code', '“Ben”（telegram:8）输入了你的配对码'),
      )
      await scene.owner.look('joins')
      await scene.owner.say(/\/y \w{5}/.exec(card)?.[0] ?? '')
      await reads(scene.owner, words('Ben is new in this gate', 'Ben 新加入这个网关'))
      await reads(ben, words('Paired: you are now an approver', '已配对：你现在是这个网关的审批者'))
    },
  ],
  [
    'both are asked; the approver allows, and the owner reads who did',
    async (scene) => {
      const ben = benOf(scene)
      await scene.owner.say('!touch one.txt')
      await reads(scene.owner, asks)
      await reads(ben, asks)
      await ben.tap(words('Allow once', '允许一次'))
      await reads(scene.owner, words('Allowed once by Ben', 'Ben 允许了一次'))
      await reads(ben, words('Allowed once by you.', '你允许了一次。'))
      await hears(scene.owner, 'No output.')
    },
  ],
  [
    'the owner denies, and the approver reads who did',
    async (scene) => {
      const ben = benOf(scene)
      await scene.owner.say('!touch two.txt')
      await reads(ben, asks)
      await scene.owner.tap(words('Deny', '拒绝'))
      await reads(ben, words('Denied by', '拒绝了'))
      await reads(scene.owner, words('Denied by you.', '你拒绝了。'))
    },
  ],
  [
    'the approver may do nothing else, and is told so',
    async (scene) => {
      const ben = benOf(scene)
      await ben.say('/hooks off')
      await reads(ben, words('You are an approver of this gate', '你是这个网关的审批者'))
      await ben.say('/help')
      await reads(ben, words('/asks', '/asks'))
    },
  ],
  [
    'the owner lists the people and changes a role',
    async (scene) => {
      await scene.owner.say('/owners')
      await reads(scene.owner, words('people have a role', '人有角色'))
      await scene.owner.look('people')
      await scene.owner.say('/owners role Ben viewer')
      await reads(scene.owner, words('Change the role of Ben', '把 Ben 的角色从'))
      await scene.owner.look('change')
      await scene.owner.tap(words('Yes, change it', '是，更改'))
      await reads(scene.owner, words('Ben has another role now: viewer.', 'Ben 现在的角色是：查看者。'))
      await reads(benOf(scene), words('You have another role now: viewer.', '你现在的角色是：查看者。'))
    },
  ],
  [
    'the owner removes the other person, who is a stranger again',
    async (scene) => {
      await scene.owner.say('/owners remove Ben')
      await reads(scene.owner, words('Remove Ben, viewer?', '移除 Ben（查看者）吗？'))
      await scene.owner.tap(words('Yes, change it', '是，更改'))
      await reads(scene.owner, words('Ben has no role in this gate any more.', 'Ben 在这个网关不再有角色。'))
      await reads(benOf(scene), words('You have no role in this gate any more.', '你在这个网关不再有角色。'))
      await benOf(scene).look('end')
    },
  ],
]

tell('two people', twoPeople, { prepare })
