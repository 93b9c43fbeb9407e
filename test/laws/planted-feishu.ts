import type { PlantedFault } from './planted-faults.ts'

/** Faults in the way out to Feishu, and in what a typed text may do where nothing shows who typed it. */
export const feishuFaults: readonly PlantedFault[] = [
  {
    test: 'test/bots/feishu/http/ticket.test.ts',
    what: 'Feishu: a ticket works for every request of its route',
    file: 'bots/feishu/http/exit.ts',
    find: 'kept.path !== path',
    replace: 'false',
  },
  {
    test: 'test/bots/feishu/http/methods.test.ts',
    what: 'Feishu: a method that sends counts as one of the bot itself',
    file: 'bots/feishu/http/methods.ts',
    find: "  'v1.message.create': 'minted',",
    replace: "  'v1.message.create': 'free',",
  },
  {
    test: 'test/commands/tap-first.test.ts',
    what: 'a typed command: a typed command runs at once where nothing shows who typed it',
    file: 'src/commands/tap-first.ts',
    find: '  message.isUnattested === true &&',
    replace: '  message.isUnattested !== true &&',
  },
  {
    test: 'test/bots/feishu/read/message.test.ts',
    what: 'a typed command: a typed text counts as one that its person certainly typed',
    file: 'bots/feishu/read/message.ts',
    find: '    isUnattested: true,\n',
    replace: '',
  },
]
