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
    file: 'src/gatekeeper/ledger/shared.ts',
    find: 'if (why !== undefined) throw await damage(why)',
    replace: 'if (fresh.problem !== undefined) throw await damage(fresh.problem)',
  },
]
