import { createLogger } from '@tollgate/kit';

import { createKiller } from './killer';
import type { ProcessRow } from './process-table';

const log = createLogger({ service: 'runner', level: 'error', write: () => undefined });

test('a look without file descriptors says nothing; the next one does', async () => {
  let looks = 0;
  const killer = createKiller(log, (): ProcessRow[] => {
    looks += 1;
    if (looks > 1) return [];
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  expect(await killer.kill(() => true)).toEqual([]);
  expect(looks).toBe(2);
});
