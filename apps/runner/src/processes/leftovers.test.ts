import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@tollgate/kit';

import type { ChildUser } from './child-users';
import { createLeftovers } from './leftovers';

const log = createLogger({ service: 'runner', level: 'error', write: () => undefined });
const FOLDER = join(tmpdir(), 'tollgate-leftovers-missing');

const ROW = { pid: 7, group: 7, uid: 1, residentKb: 0, variable: () => '' };

/** Without a user of its own; so there is nothing to remove as somebody else. */
function user(name: string): ChildUser {
  return { id: undefined, env: { name }, owns: () => false };
}

test('a user of whom something stays is given back when a later look finds nothing', async () => {
  const given: ChildUser[] = [];
  const back = Promise.withResolvers<void>();
  const [old, first, second] = [user('old'), user('first'), user('second')];
  let stays = true;
  const leftovers = createLeftovers({
    users: {
      giveBack: (one) => {
        given.push(one);
        if (given.length === 3) back.resolve();
      },
    },
    killer: { kill: () => Promise.resolve(stays ? [ROW] : []) },
    withheld: [old],
    files: undefined,
    log,
  });
  await leftovers.remove(first, FOLDER);
  expect(given).toEqual([]);
  stays = false;
  await leftovers.remove(second, FOLDER);
  await back.promise;
  expect(new Set(given)).toEqual(new Set([old, first, second]));
});
