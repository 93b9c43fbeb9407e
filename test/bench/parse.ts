import { parseChat } from '../../src/core/commands/parse.ts'
import { inTurn, measure, type Measured } from './measure.ts'

const prose = 'Could you look at the failing build and tell me what broke since yesterday?'
const texts = {
  'a command': '/hooks approve k7f2q',
  'prose, 75 characters': prose,
  'prose, 4 kB in 40 lines': `${prose} And then mend it, please.\n`.repeat(40),
} as const

/** The least that tells a command from prose: which it gets wrong, but at what price. */
const bareParse = (text: string): readonly string[] => (text.startsWith('/') ? text.split(' ') : [text])

export const measureParse = async (): Promise<Measured> => ({
  times: await measure(
    [
      inTurn('startsWith and split', 200, () => bareParse(texts['a command'])),
      ...Object.entries(texts).map(([name, text]) => inTurn(name, 20, () => parseChat(text))),
    ],
    { rounds: 40, burst: 10, warmUps: 300 },
  ),
})
