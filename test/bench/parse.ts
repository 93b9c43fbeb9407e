import { parseChat } from '../../src/commands/parse.ts'
import { inTurn, measure } from './measure.ts'
import type { Subject } from './table.ts'

const prose = 'Could you look at the failing build and tell me what broke since yesterday?'
const texts = [
  { name: 'a command', text: '/hooks approve k7f2q' },
  { name: 'prose, 75 characters', text: prose },
  { name: 'prose, 4 kB in 40 lines', text: `${prose} And then mend it, please.\n`.repeat(40) },
]

/** The least that tells a command from prose: which it gets wrong, but at what price. */
const bareParse = (text: string): readonly string[] => (text.startsWith('/') ? text.split(' ') : [text])

export const measureParse = async (): Promise<readonly Subject[]> => {
  const subjects: Subject[] = []
  for (const { name, text } of texts) {
    const times = await measure(
      [
        inTurn('startsWith and split', 200, () => bareParse(text)),
        inTurn('parseChat', 20, () => parseChat(text)),
      ],
      { rounds: 40, burst: 10, warmUps: 300 },
    )
    subjects.push({ name: `parse: ${name}`, times })
  }
  return subjects
}
