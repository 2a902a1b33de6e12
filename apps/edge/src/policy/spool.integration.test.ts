import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Settle } from './settles';
import { createSpool } from './spool';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-spool-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const newSpool = () =>
  createSpool(directory, (problem) => {
    throw new Error(problem);
  });

const settle = (requestId: string): Settle => ({
  shard: 7,
  message: { requestId, holdToken: Buffer.from('token') },
});

async function replayed(spool: ReturnType<typeof newSpool>) {
  const ids: string[] = [];
  const booked: (() => void)[] = [];
  await spool.replay(({ message }, onBooked) => {
    ids.push(message.requestId ?? '');
    booked.push(onBooked);
  });
  return { ids, bookAll: () => booked.forEach((book) => book()) };
}

test('a file that another process leaves later is submitted too, and each file once', async () => {
  const [own, other] = [newSpool(), newSpool()];
  await other.spill([settle('a'), settle('b')]);
  const first = await replayed(own);
  expect(first.ids).toEqual(['a', 'b']);
  expect((await replayed(own)).ids).toEqual([]);
  await other.spill([settle('c')]);
  expect((await replayed(own)).ids).toEqual(['c']);
});

test('a file stays until all of its settles are booked', async () => {
  const spool = newSpool();
  await spool.spill([settle('a'), settle('b')]);
  const { bookAll } = await replayed(spool);
  expect(await readdir(directory)).toHaveLength(1);
  // Another starting process submits the file too, which changes nothing.
  expect((await replayed(newSpool())).ids).toEqual(['a', 'b']);
  bookAll();
  const gone = async (): Promise<void> => {
    if ((await readdir(directory)).length > 0) await new Promise(setImmediate).then(gone);
  };
  await gone();
});

test('an empty folder has no files', async () => {
  const spool = newSpool();
  await spool.prepare();
  expect((await replayed(spool)).ids).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test('a line that is not a settle is set aside before its file is removed', async () => {
  const problems: string[] = [];
  const spool = createSpool(directory, (problem) => problems.push(problem));
  await spool.prepare();
  await writeFile(join(directory, 'settles-1.jsonl'), '{"shard":7,"message":{"requ\n');
  expect((await replayed(spool)).ids).toEqual([]);
  const kept = JSON.parse(await readFile(join(directory, 'rejected-settles.jsonl'), 'utf8'));
  expect(kept).toEqual({
    reason: 'a line of settles-1.jsonl that is not a settle',
    line: '{"shard":7,"message":{"requ',
  });
  expect(problems).toEqual([
    'settles-1.jsonl has lines that are not settles (1), kept in rejected-settles.jsonl',
  ]);
});
