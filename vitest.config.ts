import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/built.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    // Spawned programs on a small shared machine are slow to start, not slow to fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The built program is loaded as it is, not transformed.
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    // Loading modules anew for every file takes a third of the processor time of all that the tests do themselves.
    isolate: false,
    // Most code of a test runs a few times: V8 would spend a sixth of the processor time on compiling it for speed.
    // Node 20 alone has the option.
    execArgv: process.version.startsWith('v20') ? ['--interrupt-budget=1000000'] : [],
    env: { TZ: 'UTC' },
    // By default one core less: on two cores the files would run one after another.
    maxWorkers: availableParallelism(),
    // The machine-readable report is what continuous integration counts from.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
});
