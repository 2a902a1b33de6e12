// End-to-end tests: the built services as separate processes, over HTTP and gRPC only.
// One file at a time: each starts services of its own, and two at once would share two cores.
const base = require('./jest.config.js');

module.exports = {
  ...base,
  roots: ['<rootDir>/packages/e2e'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  testTimeout: 120_000,
  maxWorkers: 1,
};
