// End-to-end tests: the built services as separate processes, over HTTP and gRPC only.
// Two projects: suites of `together` wait for outcomes and may run beside another (`--maxWorkers=2`);
// suites of `alone` depend on how fast something is, or load every core themselves, as a browser with
// the console does.
const {
  maxWorkers: _workers,
  passWithNoTests: _none,
  testTimeout: _timeout,
  workerIdleMemoryLimit: _idle,
  ...project
} = require('./jest.config.js');

const ALONE = [
  'abuse',
  'background-responses',
  'burst',
  'failures',
  'faults',
  'health-probe',
  'launcher',
  'overspend',
  'overspend-stored',
  'overspend-tools',
  'responses-websocket',
  'soak',
  'workers',
].map((name) => `<rootDir>/packages/e2e/src/${name}.test.ts`);
const CONSOLE = '<rootDir>/packages/e2e/src/console';

const e2e = { ...project, roots: ['<rootDir>/packages/e2e'] };
const ignored = ['/node_modules/', '/dist/'];

module.exports = {
  projects: [
    {
      ...e2e,
      displayName: 'together',
      testMatch: ['<rootDir>/packages/e2e/src/**/*.test.ts'],
      testPathIgnorePatterns: [...ignored, ...ALONE, CONSOLE],
    },
    {
      ...e2e,
      displayName: 'alone',
      testMatch: [...ALONE, `${CONSOLE}*.test.ts`, `${CONSOLE}/**/*.test.ts`],
      testPathIgnorePatterns: ignored,
    },
  ],
  // Jest ignores these settings in a project.
  testTimeout: 120_000,
  maxWorkers: 1,
  passWithNoTests: true,
};
