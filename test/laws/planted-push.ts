import type { PlantedFault } from './planted-faults.ts'

/** What an agent says, before it is judged, and what it may stand under. */
export const pushFaults: readonly PlantedFault[] = [
  {
    test: 'test/dispatcher/text/messenger-links.test.ts',
    what: 'an address in a text: Telegram decodes its host, and hookgate does not',
    file: 'src/dispatcher/text/messenger-links.ts',
    find: 'const maxDecodings = 3',
    replace: 'const maxDecodings = 0',
  },
  {
    test: 'test/dispatcher/text/messenger-links.test.ts',
    what: 'an address under a button: whatever is a web address may be opened',
    file: 'src/dispatcher/text/clean.ts',
    find: ' || isMessengerAddress(text))',
    replace: ')',
  },
  {
    test: 'test/dispatcher/text/messenger-links.test.ts',
    what: 'an address in a text on WeChat: it stays one that can be tapped',
    file: 'src/dispatcher/text/clean.ts',
    find: '[...inAddress, wechatBreaksIn]',
    replace: '[...inAddress]',
  },
  {
    test: 'test/dispatcher/text/carriers.test.ts',
    what: 'what no reader sees: it leaves as the agent wrote it',
    file: 'src/dispatcher/text/clean.ts',
    find: '[carriersIn, noticeMarksIn]',
    replace: '[noticeMarksIn]',
  },
  {
    test: 'test/dispatcher/forms.test.ts',
    what: 'a reaction: it may stand under a notice of ours',
    file: 'src/dispatcher/pushes/targets.ts',
    find: '? target : undefined\n  },',
    replace: '? target : target\n  },',
  },
  {
    test: 'test/dispatcher/pushes/recent.test.ts',
    what: 'several messages: only the last few are told to hooks',
    file: 'src/dispatcher/pushes/recent.ts',
    find: 'const leastUnits = 50',
    replace: 'const leastUnits = 1600',
  },
  {
    test: 'test/dispatcher/notices/notify.test.ts',
    what: 'the quotes of a notice: each is judged alone, and never all of them together',
    file: 'src/dispatcher/notices/notify.ts',
    find: 'if (left.length < 2) return quotes',
    replace: 'if (left.length < 2 || left.length > 2) return quotes',
  },
  {
    test: 'test/commands/cards/arguments.test.ts',
    what: 'a card about a tool call: a notice may shorten what an answer binds',
    file: 'src/commands/cards/arguments.ts',
    find: "prose` ${whole(exactLines(text).join(''))}`",
    replace: "prose` ${exactLines(text).join('')}`",
  },
  {
    test: 'test/dispatcher/door/pieces.test.ts',
    what: 'a long notice: its later pieces bear no mark',
    file: 'src/dispatcher/door/pieces.ts',
    find: '`${head(at + 1, cuts.length)}${markCutAt',
    replace: "`${at === 0 ? head(at + 1, cuts.length) : ''}${markCutAt",
  },
  {
    test: 'test/dispatcher/door/pieces.test.ts',
    what: 'a long notice: a line of the agent that is cut goes on without its mark',
    file: 'src/dispatcher/door/pieces.ts',
    find: "return start === offset ? ''",
    replace: "return start !== -1 ? ''",
  },
  {
    test: 'test/dispatcher/text/text.test.ts',
    what: 'what an agent says: another shield stands where a notice has its mark',
    file: 'src/model/chat/notice.ts',
    find: '[\\u{1F6E1}\\u{26E8}]',
    replace: '[\\u{1F6E1}]',
  },
]
