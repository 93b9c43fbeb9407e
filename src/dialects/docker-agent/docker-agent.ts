import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { decodeDocker } from './decode.ts'
import { encodeDocker } from './encode.ts'
import { dockerEvents } from './events.ts'

/**
 * docker-agent's hooks. They get and print one JSON object in snake_case, and get no variables of their own.
 */
export const dockerAgent: Dialect = {
  name: 'docker-agent',
  events: dockerEvents,
  // Source: pkg/shellpath of docker-agent. It uses `$SHELL`, or /bin/sh if that is not set.
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encodeDocker,
  decode: decodeDocker,
  env: () => ({}),
}
