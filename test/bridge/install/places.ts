import { join } from 'node:path'
import type { InstallPorts } from '../../../src/bridge/install/install.ts'

/** A bridge that refuses in every client's words, as the gate refuses its canary. */
export const refusing =
  '#!/bin/sh\ncat > /dev/null\necho \'{"hookSpecificOutput":{"permissionDecision":"deny"},"permissionDecision":"deny","decision":"deny","permission":"deny","deny":"no","reason":"hookgate refuses its canary, whatever hooks say"}\'\n'

/** A person's home, a project and a machine, all inside one folder. */
export const placesIn = (home: string): InstallPorts['places'] => ({
  home,
  project: join(home, 'project'),
  env: {},
  machine: { root: join(home, 'machine'), platform: 'linux' },
})
