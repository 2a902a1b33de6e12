import { EventEmitter } from 'node:events';

import type { Outcome } from './job';
import { outcomeOf } from './measure';

const OUTCOME: Outcome = {
  elapsedMs: 1,
  requests: 1,
  failures: {},
  totalUs: { p50: 1, p90: 1, p99: 1, p999: 1 },
  firstUs: { p50: 1, p90: 1, p99: 1, p999: 1 },
};

class Child extends EventEmitter {
  readonly sent: unknown[] = [];
  readonly send = (message: unknown): boolean => this.sent.push(message) > 0;
}

test('a generator is told to begin once it is warm, and its report counts even after its exit', async () => {
  const child = new Child();
  const said: string[] = [];
  const outcome = outcomeOf(child, () => said.push('warm'));
  child.emit('message', 'warm');
  child.emit('exit', 0, null);
  child.emit('message', OUTCOME);
  child.emit('close', 0, null);
  await expect(outcome).resolves.toBe(OUTCOME);
  expect([said, child.sent]).toEqual([['warm'], ['begin']]);
});

test('a generator that ends without a report fails the measurement', async () => {
  const child = new Child();
  const outcome = outcomeOf(child, () => undefined);
  child.emit('close', null, 'SIGKILL');
  await expect(outcome).rejects.toThrow('the generator ended with SIGKILL');
});
