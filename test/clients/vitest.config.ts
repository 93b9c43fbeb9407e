import { defineConfig } from 'vitest/config'
import { addressesInBuilt } from '../built.ts'

export default defineConfig({
  plugins: [addressesInBuilt],
  test: {
    globalSetup: ['test/built.ts'],
    include: ['test/clients/*.clients.ts'],
    hookTimeout: 60_000,
    fileParallelism: false,
    root: '.',
  },
})
