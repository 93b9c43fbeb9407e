import type { PlantedFault } from './planted-faults.ts'

/** What an agent says, before it is judged, and what it may stand under. */
export const pushFaults: readonly PlantedFault[] = [
  {
    test: 'test/dispatcher/messenger-links.test.ts',
    what: 'an address in a text: Telegram decodes its host, and hookgate does not',
    file: 'src/dispatcher/messenger-links.ts',
    find: 'const maxDecodings = 3',
    replace: 'const maxDecodings = 0',
  },
  {
    test: 'test/dispatcher/messenger-links.test.ts',
    what: 'an address under a button: whatever is a web address may be opened',
    file: 'src/dispatcher/clean.ts',
    find: ' || isMessengerAddress(text))',
    replace: ')',
  },
  {
    test: 'test/dispatcher/messenger-links.test.ts',
    what: 'an address in a text on WeChat: it stays one that can be tapped',
    file: 'src/dispatcher/clean.ts',
    find: '[...inAddress, wechatBreaksIn]',
    replace: '[...inAddress]',
  },
  {
    test: 'test/dispatcher/carriers.test.ts',
    what: 'what no reader sees: it leaves as the agent wrote it',
    file: 'src/dispatcher/clean.ts',
    find: '[carriersIn, noticeMarksIn]',
    replace: '[noticeMarksIn]',
  },
  {
    test: 'test/dispatcher/forms.test.ts',
    what: 'a reaction: it may stand under a notice of ours',
    file: 'src/dispatcher/push.ts',
    find: '? target : undefined\n    },',
    replace: '? target : target\n    },',
  },
  {
    test: 'test/dispatcher/recent.test.ts',
    what: 'several messages: only the last few are told to hooks',
    file: 'src/dispatcher/recent.ts',
    find: 'const leastUnits = 50',
    replace: 'const leastUnits = 1600',
  },
  {
    test: 'test/dispatcher/notify.test.ts',
    what: 'the quotes of a notice: each is judged alone, and never all of them together',
    file: 'src/dispatcher/notify.ts',
    find: 'if (left.length < 2) return quotes',
    replace: 'if (left.length < 2 || left.length > 2) return quotes',
  },
  {
    test: 'test/commands/arguments.test.ts',
    what: 'a card about a tool call: a notice may shorten what an answer binds',
    file: 'src/commands/arguments.ts',
    find: "const exact = (text: string): Prose => whole(exactLines(text).join('\\n'))",
    replace: 'const exact = (text: string): Prose => [{ quoted: text }]',
  },
]
