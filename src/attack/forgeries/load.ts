import { execa } from 'execa'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import os from 'node:os'
import { forging, open, type Forgery } from '../forgery.ts'
import { harm, judged, mayWrite } from '../means.ts'

const weaker = 'It could make the gate slow, or the first process to be killed.'

const guarded = forging({ needs: ['guard'] })
const limiting = forging({ needs: ['linux'], harmsUnseen: true, withoutSeparation: weaker, varies: true })
const slowing = forging({ harmsUnseen: true, withoutSeparation: weaker })
const exposing = forging({ needs: ['linux'], withoutSeparation: weaker })

export const loadForgeries: readonly Forgery[] = [
  guarded('load.slots', 'keep all hook slots busy, then do harm', async (target) => {
    const steps = [...Array.from({ length: 40 }, (_, index) => ` SLOWLY ${index}`), '']
    return judged(...(await Promise.all(steps.map((more) => harm(target, more, {}, 25_000)))))
  }),
  guarded('load.forks', 'start so many programs that guards answer too late', async (target) => {
    const bomb = Array.from({ length: os.cpus().length * 16 }, () =>
      spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
    )
    try {
      const steps = Array.from({ length: 6 }, () => harm(target, '', {}, 15_000))
      return judged(...(await Promise.all(steps)))
    } finally {
      for (const child of bomb) if (child.pid !== undefined) child.kill('SIGKILL')
    }
  }),
  guarded('load.slow', 'make the guard exceed its time limit', async (target) =>
    judged(await harm(target, ' SLOWLY FOREVER', {}, 15_000)),
  ),
  guarded('load.connections', 'hold every connection of its socket', async (target) => {
    const [socketPath = ''] = target.sockets
    const held = Array.from({ length: 400 }, () => connect(socketPath).on('error', () => undefined))
    try {
      return judged(await harm(target, '', {}, 4000))
    } finally {
      for (const socket of held) socket.destroy()
    }
  }),
  limiting('load.limits', 'take away the gate’s right to open files (prlimit)', async ({ gatePid }) => {
    await execa('prlimit', ['--pid', String(gatePid), '--nofile=8:8'], { timeout: 3000 })
    return open('its limits were lowered')
  }),
  slowing('load.priority', 'give the gate the lowest processor priority', ({ gatePid }) => {
    os.setPriority(gatePid, 19)
    return open('it has the lowest priority now')
  }),
  exposing('load.oom', 'make the gate the first process to be killed when memory is short', ({ gatePid }) =>
    mayWrite(`/proc/${gatePid}/oom_score_adj`),
  ),
]
