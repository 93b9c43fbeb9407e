import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['test/clients/installed.clients.ts'], testTimeout: 120_000, hookTimeout: 60_000, fileParallelism: false, root: '.' },
})
