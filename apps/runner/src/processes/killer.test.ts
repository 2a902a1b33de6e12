import { createLogger } from '@tollgate/kit';

import { createKiller } from './killer';
import type { ProcessRow } from './process-table';

const log = createLogger({ service: 'runner', level: 'error', write: () => undefined });

test('a look without file descriptors says nothing; the next one does', async () => {
  const looks: (ProcessRow[] | undefined)[] = [undefined, []];
  const killer = createKiller(log, () => looks.shift());
  expect(await killer.kill(() => true)).toBe(true);
  expect(looks).toEqual([]);
});
