import { execa } from 'execa'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import os from 'node:os'
import { done, open, type Forgery } from '../forgery.ts'
import { fire, guardOf, harmful, judged, mayWrite } from '../means.ts'

const weaker = 'It could make the gate slow, or the first process to be killed.'

export const loadForgeries: readonly Forgery[] = [
  {
    name: 'load.slots',
    title: 'keep all hook slots busy, then do harm',
    needs: ['guard'],
    timeoutMs: 30_000,
    attempt: async (target) => {
      const guard = guardOf(target)
      const busy = Array.from({ length: 40 }, (_, index) =>
        fire(target, harmful(guard, ` SLOWLY ${index}`), {}, 25_000).catch(() => 'no answer'),
      )
      const verdicts = await Promise.all([
        ...busy,
        fire(target, harmful(guard), {}, 25_000).catch(() => 'no answer'),
      ])
      return verdicts.includes('allow')
        ? judged('allow')
        : done(`answered ${[...new Set(verdicts)].join(', ')}`)
    },
  },
  {
    name: 'load.forks',
    title: 'start so many programs that guards answer too late',
    needs: ['guard'],
    timeoutMs: 20_000,
    attempt: async (target) => {
      const bomb = Array.from({ length: os.cpus().length * 16 }, () =>
        spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
      )
      try {
        const verdicts = await Promise.all(
          Array.from({ length: 6 }, () =>
            fire(target, harmful(guardOf(target)), {}, 15_000).catch(() => 'no answer'),
          ),
        )
        return verdicts.includes('allow')
          ? judged('allow')
          : done(`answered ${[...new Set(verdicts)].join(', ')}`)
      } finally {
        for (const child of bomb) if (child.pid !== undefined) child.kill('SIGKILL')
      }
    },
  },
  {
    name: 'load.slow',
    title: 'make the guard exceed its time limit',
    needs: ['guard'],
    timeoutMs: 20_000,
    attempt: async (target) =>
      judged(await fire(target, harmful(guardOf(target), ` SLOWLY FOREVER`), {}, 15_000)),
  },
  {
    name: 'load.connections',
    title: 'hold every connection of its socket',
    needs: ['guard'],
    timeoutMs: 15_000,
    attempt: async (target) => {
      const [socketPath = ''] = target.sockets
      const held = Array.from({ length: 400 }, () => connect(socketPath).on('error', () => undefined))
      try {
        return judged(await fire(target, harmful(guardOf(target)), {}, 4000).catch(() => 'no answer'))
      } finally {
        for (const socket of held) socket.destroy()
      }
    },
  },
  {
    name: 'load.limits',
    title: 'take away the gate’s right to open files (prlimit)',
    needs: ['linux'],
    harmsUnseen: true,
    withoutSeparation: { meaning: weaker, varies: true },
    attempt: async ({ gatePid }) => {
      await execa('prlimit', ['--pid', String(gatePid), '--nofile=8:8'], { timeout: 3000 })
      return open('its limits were lowered')
    },
  },
  {
    name: 'load.priority',
    title: 'give the gate the lowest processor priority',
    harmsUnseen: true,
    withoutSeparation: { meaning: weaker },
    attempt: ({ gatePid }) => {
      os.setPriority(gatePid, 19)
      return open('it has the lowest priority now')
    },
  },
  {
    name: 'load.oom',
    title: 'make the gate the first process to be killed when memory is short',
    needs: ['linux'],
    withoutSeparation: { meaning: weaker },
    attempt: ({ gatePid }) => mayWrite(`/proc/${gatePid}/oom_score_adj`),
  },
]
