import { createLifecycle } from './lifecycle';
import { createLogger } from './logger';

function lifecycleWith(timeoutMs = 60_000) {
  const lines: Record<string, unknown>[] = [];
  const codes: number[] = [];
  const log = createLogger({
    service: 'test',
    level: 'debug',
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const exited = Promise.withResolvers<number>();
  const lifecycle = createLifecycle(log, {
    timeoutMs,
    exit: (code) => {
      codes.push(code);
      exited.resolve(code);
    },
  });
  return { lifecycle, lines, codes, exited: exited.promise };
}

test('what began last stops first, one step after the other', async () => {
  const { lifecycle, codes } = lifecycleWith();
  const order: string[] = [];
  lifecycle.onStop('store', () => {
    order.push('store');
  });
  lifecycle.onStop('server', async () => {
    order.push('server begins');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    order.push('server ends');
  });
  await lifecycle.stop();
  expect(order).toEqual(['server begins', 'server ends', 'store']);
  expect(codes).toEqual([]);
});

test('stopping twice undoes everything once, and both wait for the end', async () => {
  const { lifecycle } = lifecycleWith();
  const gate = Promise.withResolvers<void>();
  let stops = 0;
  lifecycle.onStop('once', () => {
    stops += 1;
    return gate.promise;
  });
  const both = Promise.all([lifecycle.stop('one'), lifecycle.stop('two')]);
  gate.resolve();
  await both;
  await lifecycle.stop('three');
  expect(stops).toBe(1);
});

test('a step that fails is logged and the others still run', async () => {
  const { lifecycle, lines } = lifecycleWith();
  let stopped = false;
  lifecycle.onStop('store', () => {
    stopped = true;
  });
  lifecycle.onStop('server', () => Promise.reject(new Error('busy')));
  await lifecycle.stop();
  expect(stopped).toBe(true);
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      step: 'server',
      error: expect.objectContaining({ message: 'busy' }),
    }),
  );
});

test('a stop that takes too long ends the process with a failure', async () => {
  const { lifecycle, exited } = lifecycleWith(10);
  lifecycle.onStop('hangs', () => new Promise<void>(() => {}));
  void lifecycle.stop();
  expect(await exited).toBe(1);
});
