import type { IncomingMessage } from 'node:http';
import type { Tracing } from '@tollgate/kit/tracing';

import { beginTrace, noteStep, type Traced } from './request-trace';

const CALLS = 20_000;

/** Bytes that a synchronous function allocates, as far as nothing is collected meanwhile. */
function allocatedBy(work: () => void): number {
  const before = process.memoryUsage().heapUsed;
  work();
  return process.memoryUsage().heapUsed - before;
}

const refuse = (): never => {
  throw new Error('nothing is traced');
};

test('a request outside of the sample allocates nothing for its trace', () => {
  const tracing: Tracing = {
    sampler: { begun: () => 'no', continued: () => 'no' },
    add: refuse,
    addLater: refuse,
    stop: () => Promise.resolve(),
  };
  const exchange: Traced = {
    requestId: '01990000-0000-7000-8000-00000000abcd',
    req: { headers: { host: 'x' } } as IncomingMessage,
    traceId: '',
    trace: undefined,
  };
  const step = { name: 'a step', startMs: 1, endMs: 2 };
  const run = (): void => {
    for (let left = CALLS; left > 0; left -= 1) {
      beginTrace(tracing, exchange);
      noteStep(exchange.trace, step);
    }
  };
  // Until V8 has compiled it.
  for (let round = 0; round < 10; round += 1) run();
  const rounds = Array.from({ length: 10 }, () => allocatedBy(run));
  // An object for each call would be some hundred kilobytes a round, in all rounds without a collection.
  expect(Math.max(...rounds)).toBeLessThan(CALLS * 4);
  expect([exchange.traceId, exchange.trace]).toEqual(['', undefined]);
});
