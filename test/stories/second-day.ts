import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { put } from '../e2e/rig.ts'
import { phoneLines } from '../phone.ts'
import { hears, reads, words, type Hand, type Story } from './hands.ts'

/** What hookgate says, when a phone shows it on so many lines at most. */
const readsShort = async (owner: Hand, holds: Parameters<typeof reads>[1], most: number): Promise<string> => {
  const text = await reads(owner, holds)
  expect(phoneLines(text).length, text).toBeLessThanOrEqual(most)
  return text
}

/** What happens on the days after the first one, in order, and how much of it a phone has to show. */
export const days: Story = [
  [
    'the list of a fresh gate fits a phone',
    async ({ owner }) => {
      await owner.say('/hooks')
      await readsShort(owner, words('Nothing protects you yet', '现在还没有任何保护'), 12)
    },
  ],
  [
    'one tap protects, and the list says by name what does',
    async ({ owner }) => {
      await owner.say('/hooks protect')
      await owner.tap(words('Protect me', '保护我'))
      await reads(owner, words('You are protected', '你已受到保护'))
      await owner.say('/hooks')
      const list = await readsShort(owner, words('✓ Guard commands', '✓ 看守命令'), 12)
      expect(list).toContain({ en: '✓ Redact secrets', zh: '✓ 隐去密钥' }[owner.language])
    },
  ],
  [
    'a guard of the gallery is found and switched on with two taps',
    async ({ owner }) => {
      await owner.say('/hooks gallery')
      await owner.tap(words('Ask before a commit', 'git commit 前先问'))
      await readsShort(owner, words('It asks you before the agent commits.', '智能体提交之前，先问你。'), 10)
      await owner.tap(words('Approve', '批准'))
      await reads(owner, words('✓ Approved: pre_tool_call', '✓ 已批准：pre_tool_call'))
    },
  ],
  [
    'a hook that an agent wrote is a short card, and counts after its details were read',
    async ({ owner, program }) => {
      await put(program, 'notes.sh', '#!/bin/sh\nprintf "{}"\n')
      const hook = { event: 'on_turn_end', command: './notes.sh', name: 'Day notes' }
      await writeFile(
        join(program.workspace, 'config/shell_hooks.yaml'),
        JSON.stringify({ hooks: [{ ...hook, description: 'It keeps a list.' }] }),
      )
      await readsShort(owner, words('Day notes', 'Day notes'), 10)
      await owner.tap(words('Details', '详情'))
      await reads(owner, words('fingerprint', '指纹'))
      await owner.tap(words('Approve', '批准'))
      await reads(owner, words('✓ Approved: on_turn_end', '✓ 已批准：on_turn_end'))
    },
  ],
  [
    'a call that asks is a card of a few lines, and a no is one tap',
    async ({ owner }) => {
      await owner.say('!git commit -m later')
      await reads(owner, words('git commit -m later', 'git commit -m later'))
      await owner.tap(words('Deny', '拒绝'))
      await hears(owner, 'The person said no')
    },
  ],
]
