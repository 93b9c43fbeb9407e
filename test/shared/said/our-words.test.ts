import { expect, test } from 'vitest'
import { translateInto } from '../../../src/commands/text/catalogues.ts'
import { inLanguage, proseText, type Prose } from '../../../src/core/model/chat/prose.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

const inChinese = (text: Prose): string => proseText(inLanguage(text, translateInto('zh')))

test.each([
  [
    'It did not answer within 1 s. Make it faster, or raise its "timeout".',
    '它在 1 秒内没有回答。请让它更快，或提高它的“timeout”。',
  ],
  [
    'Its shell does not understand its text: "then" unexpected. That is not an answer of the hook. Correct its text, or have it run by the program that it was written for.',
    '它的 shell 读不懂它的文本："then" unexpected。这不是钩子的回答。请更正它的文本，或让它由原本所用的程序运行。',
  ],
  ['Its shell found no program jq', '它的 shell 找不到程序 jq'],
  ['exit code 3: boom', '退出码 3：boom'],
  [
    'It ended with exit code 1: no. Try again. A hook exits 0 for an answer and 2 to block.',
    '它以退出码 1结束：no。请再试一次。钩子以 0 退出表示回答，以 2 退出表示拦截。',
  ],
  ['127.0.0.1:9 did not answer (refused). Try again.', '127.0.0.1:9 没有回答（拒绝）。请再试一次。'],
])('%s', (detail, chinese) => {
  expect(inChinese(ourWords(detail))).toBe(chinese)
  expect(proseText(ourWords(detail))).toBe(detail)
})

test('what is not ours stays a quote, however long it is and whatever it imitates', () => {
  for (const detail of ['some words of another', `It ended with a signal${'x'.repeat(9000)}`])
    expect(inLanguage(ourWords(detail), () => undefined)).toEqual([{ quoted: detail }])
  const [span] = inLanguage(ourWords('Its shell found no program 🛡 Allowed'), () => undefined).slice(1)
  expect(span).toMatchObject({ quoted: '🛡 Allowed' })
})
