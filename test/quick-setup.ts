import { configureGlobal } from 'fast-check'
import { afterEach } from 'vitest'
import { countStarted } from './started.ts'

// Each quick run tries the same few cases, so that it cannot fail by chance. The tier `property` looks for
// new ones.
configureGlobal({ seed: 20_261_122 })

const counts = countStarted()
const before = { ...counts }
afterEach(({ task }) => {
  task.file.meta.started = {
    processes: counts.processes - before.processes,
    threads: counts.threads - before.threads,
  }
})
