// End-to-end tests: the built services as separate processes, over HTTP and gRPC only.
// Two projects: suites of `together` wait for outcomes and may run beside others (`npm test` has 1.5 workers for each core);
// suites of `alone` depend on how fast something is, or keep every core busy themselves.
const {
  maxWorkers: _workers,
  passWithNoTests: _none,
  testSequencer,
  testTimeout: _timeout,
  workerIdleMemoryLimit: _idle,
  ...project
} = require('./jest.config.js');

const ALONE = [
  'abandoned-arm',
  'abuse',
  'background-responses',
  'burst',
  'failures',
  'health-probe',
  'launcher',
  'soak',
  'workers',
].map((name) => `<rootDir>/packages/e2e/src/${name}.test.ts`);

const e2e = { ...project, roots: ['<rootDir>/packages/e2e'] };
const ignored = ['/node_modules/', '/dist/'];

module.exports = {
  projects: [
    {
      ...e2e,
      displayName: 'together',
      globalSetup: '<rootDir>/packages/e2e/src/gateway/pool-setup.ts',
      globalTeardown: '<rootDir>/packages/e2e/src/gateway/pool-teardown.ts',
      testMatch: ['<rootDir>/packages/e2e/src/**/*.test.ts'],
      testPathIgnorePatterns: [...ignored, ...ALONE],
    },
    {
      ...e2e,
      displayName: 'alone',
      testMatch: ALONE,
      testPathIgnorePatterns: ignored,
    },
  ],
  // Jest ignores these settings in a project.
  testSequencer,
  testTimeout: 120_000,
  maxWorkers: 1,
  passWithNoTests: true,
};
