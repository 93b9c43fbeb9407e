import type { PlantedFault } from './planted-faults.ts'

const edge = 'test/core/edge.test.ts'
const consents = 'test/core/gatekeeper/owners/consents.test.ts'

/** How code outside of the core could open the gate or let something out. */
export const edgeFaults: readonly PlantedFault[] = [
  {
    test: edge,
    what: 'send: a notice is sent past the door',
    file: 'src/notices/notices.ts',
    find: 'const sameNoteQuietMs = 60 * 1000',
    replace:
      'const sameNoteQuietMs = 60 * 1000\nexport const past = (channel: { deliver(what: unknown): unknown }): unknown => channel.deliver({})',
  },
  {
    test: edge,
    what: 'sign: a chapter reads the key that signs the ledger',
    file: 'src/compose/watch.ts',
    find: "import { setTimeout as delay } from 'node:timers/promises'",
    replace:
      "import { setTimeout as delay } from 'node:timers/promises'\nimport { readKey } from '../core/gatekeeper/ledger/key.ts'\nexport const key = readKey",
  },
  {
    test: edge,
    what: 'approve: a chapter holds acts that need no consent',
    file: 'src/compose/gate.ts',
    find: "import { openGate } from '../core/gatekeeper/open-gate.ts'",
    replace: "import { openGatekeeper as openGate } from '../core/gatekeeper/gatekeeper.ts'",
  },
  {
    test: edge,
    what: "read a token: a command can say a messenger's token",
    file: 'src/compose/commands.ts',
    find: 'login: base.page.login,',
    replace: "login: () => base.config.telegram?.token ?? '',",
  },
  {
    test: consents,
    what: 'approve: what only looks like a consent counts',
    file: 'src/core/gatekeeper/owners/consents.ts',
    find: "if (given === undefined) throw refused('one that the gate did not give')",
    replace: 'if (given === undefined) return consent.by',
  },
  {
    test: consents,
    what: 'approve: the consent of a message that was admitted for less counts',
    file: 'src/core/gatekeeper/owners/consents.ts',
    find: "if (!isAct) throw refused('one for less')",
    replace: '',
  },
  {
    test: consents,
    what: 'approve: a consent counts for ever',
    file: 'src/core/gatekeeper/owners/consents.ts',
    find: "if (isOver) throw refused('one of an earlier message')",
    replace: '',
  },
  {
    test: 'test/core/gatekeeper/approving.test.ts',
    what: 'approve: whoever read the program says which bytes the fingerprint stands for',
    file: 'src/core/gatekeeper/approving.ts',
    find: 'if (!isOfThese(record, prepared.contents)) return',
    replace: 'if (false) return',
  },
]
