// The runner as a process of its own, on free ports, for tests that kill it.
import { startRunner } from '../app';
import { loadConfig, ownEnvironment } from '../config';

startRunner(
  { ...loadConfig(), RUNNER_PORT: 0, RUNNER_OPS_PORT: 0 },
  { env: ownEnvironment() },
).then(
  (runner) => runner.handleSignals(),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
