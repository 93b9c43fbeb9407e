import type { PlantedFault } from './planted-faults.ts'

/** What would make the gate stand still, or lose its word, over a file, a disk or a clock. */
export const threadFaults: readonly PlantedFault[] = [
  {
    test: 'test/config/switch-file.integration.ts',
    what: 'a file of the agent: reading a script in its folder has no time limit',
    file: 'src/isolation/run-script.ts',
    find: '      isLate = true\n        killGroup(child.pid)',
    replace: '      isLate = true',
  },
  {
    test: 'test/server/server.test.ts',
    what: 'an event: an agent may fill it with as many names as fit into 8 MB',
    file: 'src/core/model/base/json.ts',
    find: 'maxTokens: maxJsonTokens,',
    replace: 'maxTokens: Infinity,',
  },
  {
    test: 'test/core/dispatcher/door/door.test.ts',
    what: 'a full disk: a message that could not be stored is sent',
    file: 'src/core/dispatcher/outbox/outbox.ts',
    find: 'return !isFresh',
    replace: 'return true',
  },
  {
    test: 'test/core/dispatcher/held.test.ts',
    what: 'a clock: messages behind a held message are timed by a clock that can be set',
    file: 'src/core/dispatcher/door/hold.ts',
    find: 'elapsedMs() - (waiting.heldFromMs ?? -Infinity)',
    replace: 'now() - (read(waiting)?.sinceMs ?? -Infinity)',
  },
  {
    test: 'test/notices/coalesce.test.ts',
    what: 'a clock: repeated notices are timed by a clock that can be set',
    file: 'src/notices/notices.ts',
    find: 'createCoalescer(sameWarningQuietMs, ports.elapsedMs)',
    replace: 'createCoalescer(sameWarningQuietMs, ports.now)',
  },
  {
    test: 'test/permissions/permissions.test.ts',
    what: 'a clock: the waiting time of a question uses a clock that can be set',
    file: 'src/permissions/permissions.ts',
    find: 'const endsAtMs = ports.elapsedMs() + (askMs ?? 0)',
    replace: 'const endsAtMs = ports.now() + (askMs ?? 0)',
  },
  {
    test: 'test/shared/disk/lock.test.ts',
    what: 'a clock: a clock that was set back keeps a stale lock alive',
    file: 'src/shared/disk/lock.ts',
    find: 'Math.abs(Date.now() - fs.statSync(file).mtimeMs)',
    replace: '(Date.now() - fs.statSync(file).mtimeMs)',
  },
]
