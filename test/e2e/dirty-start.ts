import { expect } from 'vitest'
import type { Program, Starter } from './program.ts'
import { arm, put, type Chat } from './rig.ts'

/** A start that leaves to the gate what it should not: files, signals, limits, a mask and variables. */
const dirty = `umask 0; trap "" PIPE TERM CHLD; ulimit -S -c unlimited; ulimit -S -f 4000000; exec 33<"$HOME/notes.txt"
export LD_PRELOAD=libm.so.6 BASH_ENV=/none ENV=/none PYTHONPATH=/none NODE_OPTIONS=--no-warnings
if env --block-signal true 2>/dev/null; then exec env --block-signal "$@"; fi
exec "$@"`
export const startedDirty = (starter: Starter): Starter => ({
  ...starter,
  prefix: [...(starter.prefix ?? []), 'bash', '-c', dirty, 'bash'],
})

const look = `echo mask $(umask) core $(ulimit -S -c) $([ "$(ulimit -S -f)" = "$(ulimit -H -f)" ] && echo highest) files $(ls /proc/self/fd) $(grep -E '^Sig(Blk|Ign)' /proc/self/status) $(env | grep -E '=(/none|libm|--no-w)') end`
const clean = 'mask 0022 core 0 highest files 0 1 2 3 SigBlk: 0000000000000000 SigIgn: 0000000000000000 end'

/** The agent's shell and a hook see nothing of a dirty start. */
export const startedClean = async (gate: Program, phone: Chat): Promise<void> => {
  await put(gate, 'look.sh', look)
  await put(gate, 'seen.sh', `#!/bin/sh\n{ ${look}; } >&2\nexit 2\n`)
  await arm(gate, phone, [
    { event: 'pre_tool_call', command: './seen.sh', matcher: 'unseen', on_error: 'block' },
  ])
  expect(await phone.ask('!sh look.sh', /^mask/)).toContain(clean)
  expect(await phone.ask('!echo unseen', /mask|failed/)).toContain(clean)
}
