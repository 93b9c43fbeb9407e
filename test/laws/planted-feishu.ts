import type { PlantedFault } from './planted-faults.ts'

/** Faults in the way out to Feishu. */
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
    find: "const minted = [\n  'v1.message.create',",
    replace: 'const minted = [',
  },
]
