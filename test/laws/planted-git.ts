import type { PlantedFault } from './planted-faults.ts'

/** What a repository of the agent's must not make git do in a hook. */
export const gitFaults: readonly PlantedFault[] = [
  {
    test: 'test/handlers/host/git-planted.integration.ts',
    what: 'git in a hook: it works in a submodule that the agent prepared',
    file: 'src/handlers/host/git/git-world.ts',
    find: 'GIT_CONFIG_VALUE_0: refusal',
    replace: "GIT_CONFIG_VALUE_0: 'true'",
  },
  {
    test: 'test/handlers/host/git-planted.integration.ts',
    what: 'git in a hook: it trusts every repository that it finds',
    file: 'src/handlers/host/git/git-world.ts',
    find: "  GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',\n",
    replace: '',
  },
  {
    test: 'test/handlers/host/git-planted.integration.ts',
    what: 'git in a hook: it waits for a FIFO at the path of its configuration',
    file: 'src/handlers/host/git/git-repository.ts',
    find: 'constants.O_RDONLY | constants.O_NONBLOCK',
    replace: 'constants.O_RDONLY',
  },
  {
    test: 'test/handlers/host/git/git-config.integration.ts',
    what: 'git in a hook: it gets every setting',
    file: 'src/handlers/host/git/git-config.ts',
    find: '  isShort(setting) && harmless[nameOf(setting)]?.test(setting.value) === true',
    replace: '  isShort(setting) || harmless[nameOf(setting)]?.test(setting.value) === true',
  },
  {
    test: 'test/handlers/host/git/git-world.integration.ts',
    what: 'git in a hook: it may lock index and HEAD',
    file: 'src/handlers/host/git/git-world.ts',
    find: "for (const name of ['HEAD', ...steps]) mkdirSync(join(folder, `${name}.lock`))",
    replace: "mkdirSync(join(folder, 'no.lock'))",
  },
  {
    test: 'test/handlers/host/git/git-world.integration.ts',
    what: 'git in a hook: it answers for the repository of the hook, wherever it is called',
    file: 'src/handlers/host/git/git-wrapper.ts',
    find: 'if [ -n "$at" ] && [ "$at" = "$GIT_WORK_TREE" ]; then',
    replace: 'if [ -n "$at" ]; then',
  },
  {
    test: 'test/handlers/host/git/git-world.integration.ts',
    what: 'git in a hook: a folder before it on the PATH is one in which every hook can write',
    file: 'src/handlers/host/git/git-world.ts',
    find: 'toolsIn(prepared ?? folder)',
    replace: 'toolsIn(folder)',
  },
]
