import { createLogger } from '@tollgate/kit';

import { startLimitRefresh } from './limit-refresh';

test('limits are refreshed again after a failure, one round at a time', async () => {
  const lines: string[] = [];
  const log = createLogger({
    service: 'edge',
    level: 'warn',
    write: (line) => void lines.push(line),
  });
  let begun = 0;
  let running = 0;
  await new Promise<void>((resolve) => {
    const refreshLimits = async (): Promise<void> => {
      begun += 1;
      running += 1;
      expect(running).toBe(1);
      // Longer than the interval.
      await new Promise((next) => setTimeout(next, 5));
      running -= 1;
      if (begun === 1) throw new Error('policy is away');
      stop();
      resolve();
    };
    const ask = async () => ({ valid: true, limits: [] });
    const { stop } = startLimitRefresh({ metrics: { refreshLimits }, ask, log, everyMs: 1 });
  });
  expect(begun).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('policy is away');
});
