import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../../test-support/harness';
import type { Agents } from '../agents';
import { createSharedCredentials } from './shared';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-shared-'));
afterAll(() => rmSync(folder, { recursive: true }));

function create() {
  let nowMs = 0;
  let asked = 0;
  const open: string[] = [];
  const agents = {
    open: (origin: string) => {
      open.push(origin);
      return { agent: {}, release: () => open.splice(open.indexOf(origin), 1) };
    },
  } as unknown as Agents;
  const share = createSharedCredentials<string>(() => nowMs);
  const shared = (key: string, file?: string) =>
    share({
      key,
      agents,
      file,
      request: async (openDispatcher) => {
        asked += 1;
        openDispatcher('https://issuer.example');
        return { credential: `${key}-${asked}`, lifetimeMs: 3_600_000 };
      },
    });
  return { shared, open, asked: () => asked, pass: (ms: number) => (nowMs += ms) };
}

test('equal identities share a credential and its sockets, until the last is released', async () => {
  const { shared, open, asked } = create();
  const [first, second] = [shared('a'), shared('a')];
  expect(await first.renewed.get()).toBe('a-1');
  expect(await second.renewed.get()).toBe('a-1');
  expect(await shared('b').renewed.get()).toBe('b-2');
  expect(open).toHaveLength(2);
  first.release();
  first.release();
  expect(await shared('a').renewed.get()).toBe('a-1');
  expect(asked()).toBe(2);
  second.release();
  expect(open).toHaveLength(2);
});

test('after the last, it is fetched anew', async () => {
  const { shared, open } = create();
  const only = shared('a');
  expect(await only.renewed.get()).toBe('a-1');
  only.release();
  expect(open).toEqual([]);
  expect(await shared('a').renewed.get()).toBe('a-2');
});

test('a file that has changed causes a renewal, for which nobody waits', async () => {
  const file = join(folder, 'token');
  writeFileSync(file, 'one');
  utimesSync(file, 1, 1);
  const { shared, asked, pass } = create();
  const { renewed } = shared('a', file);
  expect(await renewed.get()).toBe('a-1');
  // The file is looked at in the background; the second look is the first that can tell a change.
  await new Promise(setImmediate);
  utimesSync(file, 2, 2);
  await until(() => {
    pass(10_000);
    void renewed.get();
    return asked() === 2;
  }, 'a renewal');
  expect(await renewed.get()).toBe('a-2');
});
