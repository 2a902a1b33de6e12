// One environment for all test files of a worker, so that what they load can be shared (runtime.js).
const { TestEnvironment } = require('jest-environment-node');

/** What Jest keeps on the global object for one test file. */
const OF_A_FILE = [
  'EVENT_HANDLERS',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
  '$$jest-matchers-object',
].map((name) => Symbol.for(name));

let shared;

module.exports = class SharedEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (shared !== undefined) return shared;
    super(config, context);
    shared = this;
    this.variables = { ...this.global.process.env };
    this.exit = Object.getOwnPropertyDescriptor(this.global.process, 'exit');
  }

  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    for (const name of OF_A_FILE) delete this.global[name];
    const { process } = this.global;
    Object.defineProperty(process, 'exit', this.exit);
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) delete process.env[name];
    }
    Object.assign(process.env, this.variables);
  }
};
