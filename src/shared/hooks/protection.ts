import type { Entry } from '../../core/model/hooks/entry.ts'

/** The words that an owner types for each guard of the protection. */
export type GuardName = 'secrets' | 'commands' | 'claims'

export interface ShippedGuard {
  readonly name: GuardName
  readonly entry: Entry
}

const guard = (
  name: GuardName,
  { event, command, ...words }: Pick<Entry, 'event' | 'command' | 'name' | 'description'>,
): ShippedGuard => ({
  name,
  entry: {
    event,
    type: 'builtin',
    command,
    args: [],
    timeoutMs: 20_000,
    onError: 'block',
    priority: 100,
    isAsync: false,
    env: {},
    files: [],
    origin: 'config/shell_hooks.yaml',
    ...words,
  },
})

/**
 * The guards that an owner approves with one tap. They stand here, and are part of hookgate, so nothing in a
 * workspace can change what the tap approves. A fresh `config/shell_hooks.yaml` proposes the same entries.
 */
export const PROTECTION: readonly ShippedGuard[] = [
  guard('secrets', {
    event: 'on_outbound_message',
    command: 'redact_secrets',
    name: 'Redact secrets',
    description: 'It takes secrets and seed phrases out of what the agent sends.',
  }),
  guard('commands', {
    event: 'pre_tool_call',
    command: 'guard_commands',
    name: 'Guard commands',
    description: 'It asks you before a command that destroys or leaks something.',
  }),
  guard('claims', {
    event: 'on_completion_claim',
    command: 'check_publish',
    name: 'Check claims of publishing',
    description: 'It refuses the claim that something is published when no tool did it.',
  }),
]
