import type { Dialect } from '../../model/hooks/dialect.ts'
import { decodeDocker } from './decode.ts'
import { encodeDocker } from './encode.ts'
import { dockerEvents } from './events.ts'

/** docker-agent's hooks: snake_case, one JSON object each way; its hooks find no variables of its own. */
export const dockerAgent: Dialect = {
  name: 'docker-agent',
  events: dockerEvents,
  // pkg/shellpath: `$SHELL`, or /bin/sh where that is not set.
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encodeDocker,
  decode: decodeDocker,
  env: () => ({}),
}
