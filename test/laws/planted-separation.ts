import type { PlantedFault } from './planted-faults.ts'

/** What an agent, or a hook, could reach beyond what is its own. */
export const separationFaults: readonly PlantedFault[] = [
  {
    test: 'test/isolation/sandbox/sandbox.e2e.ts',
    what: "the sandbox: a folder above the gate's own folder can be moved away",
    file: 'src/isolation/sandbox/mounts.ts',
    find: "(kind === 'empty' || (kind === 'write' && canChange(dirname(folder))))",
    replace: "kind === 'bare'",
  },
  {
    test: 'test/isolation/sandbox/sandbox.e2e.ts',
    what: "the sandbox: the agent can write to the user's home",
    file: 'src/isolation/sandbox/mounts.ts',
    find: "put(profile === 'hooks' || isStrict ? 'bare' : 'empty', hidden)",
    replace: "put('write', hidden)",
  },
  {
    test: 'test/isolation/hooks.e2e.ts',
    what: 'the sandbox: hooks can write to their seals',
    file: 'src/isolation/sandbox/mounts.ts',
    find: "mounts.set(inOwn(place), 'read')",
    replace: "mounts.set(inOwn(place), 'write')",
  },
  {
    test: 'test/isolation/sandbox/sandbox.e2e.ts',
    what: 'the sandbox: a hook can replace its home by a link, which the next start follows',
    file: 'src/isolation/sandbox/mounts.ts',
    find: '[hooksOwn(home).home, hooksOwn(home).tmp]',
    replace: '[hooksOwn(home).folder]',
  },
  {
    test: 'test/isolation/hook-path.e2e.ts',
    what: 'the PATH of hooks: a folder on it is reached through a link that the agent can change',
    file: 'src/isolation/hook-path.ts',
    find: '[...foldersOfLinks(path).map(realOf), realOf(path)]',
    replace: '[realOf(path)]',
  },
  {
    test: 'test/isolation/users/users.e2e.ts',
    what: 'three users: everybody can read the seals',
    file: 'src/isolation/users/permissions.ts',
    find: "['seal', 0o750]",
    replace: "['seal', 0o755]",
  },
  {
    test: 'test/isolation/users/users.e2e.ts',
    what: 'three users: a proposal reads a file in a folder that is closed to the agent',
    file: 'src/isolation/reading.ts',
    find: ' && canEnter(reader, dirname(real))',
    replace: '',
  },
]
