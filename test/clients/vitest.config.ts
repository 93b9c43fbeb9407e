import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['test/clients/*.clients.ts'], hookTimeout: 60_000, fileParallelism: false, root: '.' },
})
