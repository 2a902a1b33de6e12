import { createLifecycle } from '../src/lifecycle';
import { createLogger } from '../src/logger';

// A small service for the lifecycle tests; its argument says how it misbehaves.
const behaviour = process.argv[2] ?? 'none';

const log = createLogger({ service: 'child', level: 'debug' });
const lifecycle = createLifecycle(log, { timeoutMs: behaviour === 'hangs' ? 200 : 60_000 });
lifecycle.handleSignals();
const alive = setInterval(() => {}, 1000);

lifecycle.onStop('first', () => clearInterval(alive));
lifecycle.onStop('second', async () => {
  if (behaviour === 'fails') throw new Error('did not stop');
  if (behaviour === 'hangs') await new Promise(() => {});
});
lifecycle.onStop('third', () => {});

log.info('ready');

if (behaviour === 'rejects') void Promise.reject(new Error('nobody waits for this'));
if (behaviour === 'throws') {
  setImmediate(() => {
    throw new Error('nobody catches this');
  });
}
if (behaviour === 'talks') {
  for (let line = 0; line < 5000; line += 1) log.info('line', { line, text: 'x'.repeat(200) });
  process.kill(process.pid, 'SIGTERM');
}
