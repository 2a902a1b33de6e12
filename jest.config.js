// Unit and integration tests of every workspace member, run from the source through the `@tollgate/source`
// export condition, so that no build has to come first.
const swc = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', tsx: true, decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: false, react: { runtime: 'automatic' } },
  },
  module: { type: 'commonjs' },
};

module.exports = {
  testEnvironment: '<rootDir>/jest/environment.js',
  runtime: '<rootDir>/jest/runtime.js',
  testEnvironmentOptions: {
    customExportConditions: ['@tollgate/source', 'node', 'require', 'default'],
  },
  roots: ['<rootDir>/apps', '<rootDir>/packages', '<rootDir>/scripts'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.next/', '<rootDir>/packages/e2e/'],
  modulePathIgnorePatterns: ['/dist/', '/.next/'],
  transform: { '\\.[jt]sx?$': ['@swc/jest', swc] },
  transformIgnorePatterns: [
    '/node_modules/(?!.*(openid-client|oauth4webapi|jose|@hyperjump|uuid|just-curry-it)/)',
  ],
  setupFiles: ['<rootDir>/jest/properties.js'],
  testTimeout: 60_000,
  testSequencer: '<rootDir>/jest/sequencer.js',
  maxWorkers: 2,
  // A worker keeps a part of each file that it has run, and ends by force at 4 GB.
  workerIdleMemoryLimit: '1500MB',
  passWithNoTests: true,
};
