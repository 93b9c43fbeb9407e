import { configDefaults, defineConfig } from 'vitest/config'
import { addressesInBuilt } from './built.ts'
import { createLeftOut } from './left-out.ts'
import { leavesOutWechat, wechatTests, withFolders } from './needs.ts'
import { createQuickRules } from './quick-rules.ts'
import { tiers, type Tier, type TierName } from './tiers.ts'
import { hangsAfterMs } from './until.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly tier: TierName
  }
}

// A test that calls a program itself finds it where `needs` looks for it.
process.env['PATH'] = withFolders(process.env['PATH'])

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
    ...(name === 'quick'
      ? { setupFiles: ['test/quick-setup.ts'] }
      : { testTimeout: 300_000, hookTimeout: 300_000 }),
  },
})

export default defineConfig({
  plugins: [addressesInBuilt],
  test: {
    root: '.',
    pool: 'forks',
    // A worker keeps the modules of hundreds of files, and collects its young garbage less often so.
    execArgv: ['--max-semi-space-size=64'],
    globalSetup: ['test/built.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: hangsAfterMs } },
    reporters: ['default', createLeftOut(), createQuickRules()],
    projects: Object.entries(tiers).map(project),
  },
})
