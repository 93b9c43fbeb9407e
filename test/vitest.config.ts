import { configDefaults, defineConfig } from 'vitest/config'
import { createLeftOut } from './left-out.ts'
import { leavesOutWechat, wechatTests } from './needs.ts'
import { createSlow } from './slow.ts'
import { tiers, type Tier, type TierName } from './tiers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly tier: TierName
  }
}

const project = ([name, tier]: readonly [string, Tier]) => ({
  extends: true as const,
  test: {
    name,
    include: [...tier.include],
    exclude: [...configDefaults.exclude, ...(leavesOutWechat ? [`${wechatTests}/**`] : [])],
    isolate: tier.isShared !== true,
    maxWorkers: tier.workers,
    // Projects of one group start together, and have to agree on the number of workers.
    sequence: { groupOrder: Object.keys(tiers).indexOf(name) },
    provide: { tier: name as TierName },
    // A slow machine takes its time; a test that hangs is seen all the same.
    ...(name === 'quick' ? { setupFiles: ['test/quick-seed.ts'] } : { testTimeout: 120_000 }),
  },
})

export default defineConfig({
  test: {
    root: '.',
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    reporters: ['default', createLeftOut(), ...(process.env['CI'] === 'true' ? [createSlow()] : [])],
    projects: Object.entries(tiers).map(project),
  },
})
