import type { PlantedFault } from './planted-faults.ts'

/** What keeps several gates on one database apart, and a database that lost something from being believed. */
export const fleetFaults: readonly PlantedFault[] = [
  {
    test: 'test/store/lease.fleet.ts',
    what: 'the lease: a gate that another one has followed still writes',
    file: 'src/store/postgres/lease.ts',
    find: 'if (term !== undefined) await query(CHECK',
    replace: 'if (term?.epoch === 0) await query(CHECK',
  },
  {
    test: 'test/fleet/failover.fleet.ts',
    what: 'the database: it may lack lines that this gate has seen',
    file: 'src/core/gatekeeper/ledger/shared.ts',
    find: "if (typeof fresh === 'string') throw await damage(fresh)",
    replace: "if (typeof fresh === 'string') return { entries: [], heads: [] }",
  },
  {
    test: 'test/core/gatekeeper/ledger/shared.fleet.ts',
    what: 'a gate that waits: it forgets what it has read of the ledger',
    file: 'src/core/gatekeeper/ledger/follow.ts',
    find: 'if (end.head !== known?.end.head) writeHead(home, end, key)',
    replace: '',
  },
  {
    test: 'test/core/gatekeeper/ledger/shared.fleet.ts',
    what: 'a ledger that begins anew: anybody may begin it',
    file: 'src/core/gatekeeper/ledger/shared.ts',
    find: '(endProblem(found.end, heads) ?? begunProblem(found.end, entries))',
    replace: 'endProblem(found.end, heads)',
  },
  {
    test: 'test/fleet/rights.fleet.ts',
    what: "the database's user: it copies an older ledger to a new place",
    file: 'src/store/postgres/migrations.ts',
    find: "RAISE EXCEPTION 'only an owner begins a ledger anew'",
    replace: "RAISE NOTICE 'only an owner begins a ledger anew'",
  },
  {
    test: 'test/fleet/standby.fleet.ts',
    what: 'the answer to an act: it names no gate that would take over without knowing of it',
    file: 'src/store/postgres/standby.ts',
    find: '      return untold\n',
    replace: '      return []\n',
  },
  {
    test: 'test/fleet/hang.fleet.ts',
    what: 'a database that hangs: the gate goes on allowing',
    file: 'src/store/open.ts',
    find: 'lease.isHeld() && pulse.isAnswering()',
    replace: 'lease.isHeld()',
  },
  {
    test: 'test/store/pulse.fleet.ts',
    what: 'an act that was on its way when the database fell silent: it is told as undone',
    file: 'src/store/postgres/ledger-lines.ts',
    find: 'if (!isUnanswered(error) || !mayGoOn) throw error',
    replace: 'if (mayGoOn || !mayGoOn) throw error',
  },
  {
    test: 'test/store/statements.test.ts',
    what: 'many changes of the outbox in one statement: those of one push change their order',
    file: 'src/store/postgres/statements.ts',
    find: 'Math.max(fixed, own === undefined ? 0 : (newestOf.get(own) ?? -1) + 1)',
    replace: 'fixed',
  },
  {
    test: 'test/simulation/simulation.integration.ts',
    what: 'a takeover: a send that had begun is repeated by the next gate',
    file: 'src/core/dispatcher/outbox/restore.ts',
    find: "await (item.state === 'sending'",
    replace: "await (item.state === 'held'",
  },
  {
    test: 'test/simulation/simulation.integration.ts',
    what: 'a turn of the switch: the receipt names no node that has not confirmed it',
    file: 'src/server/nodes/members.ts',
    find: 'resolve([...missing(), ...lost()])',
    replace: 'resolve([])',
  },
  {
    test: 'test/compose/with-nodes.test.ts',
    what: 'a hook for all machines: its node says which words run on the other ones',
    file: 'src/compose/proposal-reader/with-nodes.ts',
    find: "'problem' in theirs || entry.nodes !== 'all'",
    replace: "'problem' in theirs || entry.nodes === 'all'",
  },
]
