import type { PlantedFault } from './planted-faults.ts'

/** What an agent says, before it is judged, and what it may stand under. */
export const pushFaults: readonly PlantedFault[] = [
  {
    test: 'test/core/dispatcher/text/messenger-links.test.ts',
    what: 'an address in a text: Telegram decodes its host, and hookgate does not',
    file: 'src/core/dispatcher/text/messenger-links.ts',
    find: 'const maxDecodings = 3',
    replace: 'const maxDecodings = 0',
  },
  {
    test: 'test/core/dispatcher/text/messenger-links.test.ts',
    what: 'an address under a button: every web address may be opened',
    file: 'src/core/dispatcher/text/clean.ts',
    find: ' || isMessengerAddress(text))',
    replace: ')',
  },
  {
    test: 'test/bots/wechat/links.test.ts',
    what: 'an address in a text on WeChat: it can still be tapped',
    file: 'src/core/dispatcher/text/clean.ts',
    find: '[...inAddress, linkBreaksIn(links)]',
    replace: '[...inAddress]',
  },
  {
    test: 'test/core/dispatcher/text/carriers.property.ts',
    what: 'what no reader sees: it is sent as the agent wrote it',
    file: 'src/core/dispatcher/text/clean.ts',
    find: '[carriersIn, noticeMarksIn]',
    replace: '[noticeMarksIn]',
  },
  {
    test: 'test/core/dispatcher/forms.test.ts',
    what: 'a reaction: it may be added to a notice of hookgate',
    file: 'src/core/dispatcher/pushes/targets.ts',
    find: '? target : undefined\n  },',
    replace: '? target : target\n  },',
  },
  {
    test: 'test/core/dispatcher/pushes/recent.test.ts',
    what: 'several messages: hooks see only the last few of them',
    file: 'src/core/dispatcher/pushes/recent.ts',
    find: 'const leastUnits = 50',
    replace: 'const leastUnits = 1600',
  },
  {
    test: 'test/core/dispatcher/notify/judge.test.ts',
    what: 'the quotes of a notice: each quote is judged alone, and never all of them together',
    file: 'src/core/dispatcher/notify/judge.ts',
    find: 'if (left.length < 2) return quotes',
    replace: 'if (left.length < 2 || left.length > 2) return quotes',
  },
  {
    test: 'test/commands/cards/arguments.test.ts',
    what: 'a card about a tool call: a notice may shorten the text that an answer approves',
    file: 'src/commands/cards/calls/arguments.ts',
    find: "prose` ${whole(exactLines(text).join(''))}`",
    replace: "prose` ${exactLines(text).join('')}`",
  },
  {
    test: 'test/core/dispatcher/door/pieces.test.ts',
    what: 'a long notice: its later parts are not marked',
    file: 'src/core/dispatcher/door/pieces.ts',
    find: '`${head(at + 1, cuts.length)}${markCutAt',
    replace: "`${at === 0 ? head(at + 1, cuts.length) : ''}${markCutAt",
  },
  {
    test: 'test/core/dispatcher/door/pieces.test.ts',
    what: 'a long notice: the rest of a split line of the agent is not marked',
    file: 'src/core/dispatcher/door/pieces.ts',
    find: "return start === offset ? ''",
    replace: "return start !== -1 ? ''",
  },
  {
    test: 'test/core/dispatcher/text/text.property.ts',
    what: 'what an agent says: it can start with a shield like that of a notice',
    file: 'src/core/model/chat/notice.ts',
    find: '[\\u{1F6E1}\\u{26E8}]',
    replace: '[\\u{1F6E1}]',
  },
]
