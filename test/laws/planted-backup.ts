import type { PlantedFault } from './planted-faults.ts'

/** What a backup could bring back, or into a folder. */
export const backupFaults: readonly PlantedFault[] = [
  {
    test: 'test/compose/backup/backup.integration.ts',
    what: 'a restore: the head of an older backup takes the place of the newer one',
    file: 'src/compose/verbs/backup/restore.ts',
    find: 'putBack(home, draft, aside, key, isNewer ? own : known)',
    replace: 'putBack(home, draft, aside, key, own)',
  },
  {
    test: 'test/backup/members.test.ts',
    what: 'a restore: a name of the backup may lead out of the folder',
    file: 'src/backup/members.ts',
    find: String.raw`[/^secrets\/(?!ledger\.head|login)[A-Za-z0-9][\w.-]{0,99}$/, MB]`,
    replace: String.raw`[/^secrets\/(?!ledger\.head|login).{0,99}$/, MB]`,
  },
  {
    test: 'test/backup/sealed-file.integration.ts',
    what: 'a restore: a backup whose last pieces are missing counts as whole',
    file: 'src/backup/sealed-file.ts',
    find: 'nonce[11] = isLast ? 1 : 0',
    replace: 'nonce[11] = isLast ? 0 : 0',
  },
  {
    test: 'test/service/plan.test.ts',
    what: "the service: its users go while the gate's folder is theirs",
    file: 'src/service/plan.ts',
    find: 'found !== undefined && !found.isEmpty)',
    replace: 'found === undefined)',
  },
]
