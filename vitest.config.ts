import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Spawned programs on a small shared machine are slow to start, not slow to fail.
    testTimeout: 30_000,
    pool: 'forks',
  },
});
