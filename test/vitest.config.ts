import { defineConfig } from 'vitest/config'

// One file at a time: the tests start real processes, and their deadlines should not compete.
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000, fileParallelism: false, expect: { poll: { timeout: 10_000 } }, root: '.' },
})
