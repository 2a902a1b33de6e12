// Runs the suites that take longest first, so that none is left alone at the end. Jest does this by itself once it
// has measured them; a clean checkout has no measurements, and these are small files that run long.
const Sequencer = require('@jest/test-sequencer').default;

const LONGEST = [
  'e2e/src/faults.test.ts',
  'openapi.fuzz.integration.test.ts',
  'runner/src/users.integration.test.ts',
  'e2e/src/passthrough.test.ts',
  'e2e/src/tenant-metrics.test.ts',
  'console/catalog-away.test.ts',
  'e2e/src/overspend.test.ts',
  'console/paths.test.ts',
  'console/accessibility.test.ts',
  'python-matrix.test.ts',
  'e2e/src/limits.test.ts',
  'e2e/src/operations.test.ts',
  'console/journeys.test.ts',
  'agent-loops.test.ts',
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(name));
      return at === -1 ? LONGEST.length : at;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
};
