import type { PlantedFault } from './planted-faults.ts'

/** What a guard is made of beside its own file could be changed behind its approval. */
export const partFaults: readonly PlantedFault[] = [
  {
    test: 'test/core/gatekeeper/seal/checked-copy.test.ts',
    what: 'its parts: only the length of a file that is used by its path is checked, not its bytes',
    file: 'src/core/gatekeeper/seal/watch-check.ts',
    find: 'if ((await digestOf(path.resolve(workspace, name), bytes)) !== sha256) return name',
    replace:
      'if (sha256 !== "" && (await digestOf(path.resolve(workspace, name), bytes)) === undefined) return name',
  },
  {
    test: 'test/core/gatekeeper/seal/checked-copy.test.ts',
    what: 'its parts: folders above a file may be replaced during the run',
    file: 'src/core/gatekeeper/seal/watch-check.ts',
    find: 'return isTop ? !isSameInode(then, now)',
    replace: 'return isTop || now.isDirectory() ? !isSameInode(then, now)',
  },
  {
    test: 'test/proposals/program/code/script-code.test.ts',
    what: 'its parts: imports of imported files are not followed',
    file: 'src/proposals/program/program-files.ts',
    find: 'const maxRounds = 8',
    replace: 'const maxRounds = 2',
  },
  {
    test: 'test/proposals/program/code/script-code.test.ts',
    what: 'its parts: an import without a fixed name is not reported',
    file: 'src/proposals/program/program-files.ts',
    find: '...(open.size > 0 ?',
    replace: '...(open.size < 0 ?',
  },
]
