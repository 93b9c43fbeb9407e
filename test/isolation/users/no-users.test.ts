import { expect, test } from 'vitest'
import { translateInto } from '../../../src/commands/text/catalogues.ts'
import { prepareUsers } from '../../../src/isolation/users/users.ts'
import { inLanguage } from '../../../src/core/model/chat/prose.ts'
import { separationLine } from '../../../src/shared/gate/separation.ts'

test('why there are no separate users is said in Chinese to whom reads Chinese', () => {
  const nowhere = { home: '/nowhere', workspace: '/nowhere', root: '/nowhere' }
  const agents = [{ id: 'main', user: 'nobody-at-all' }]
  const users = prepareUsers({ ...nowhere, agents, hooksUser: 'nobody-at-all' })
  if (!('why' in users)) throw new Error('There is such a user.')
  const line = separationLine({ kind: 'sandbox', by: 'bwrap', better: users })
  const text = inLanguage(line, translateInto('zh'))
    .map((span) => ('fixed' in span ? span.fixed : span.quoted))
    .join('')
  // Only what no language changes is left: names, options and commands.
  expect(text).toMatch(
    /使用不同的用户会更安全：(?:没有用户 nobody-at-all。请创建它：|hookgate 无权切换用户。请以 root )/,
  )
  expect(text).not.toMatch(/there is|Make it|may not/)
})
