import { createBatches, type BatchedCall } from './batches';
import type { Connection } from './connection';
import type { Row } from './replies';
import type { BatchedName, ScriptName } from './scripts';
import type { Server } from './server';

// When calls wait for others of their shard. What a script does with them is in
// batches.integration.test.

interface Sent {
  name: ScriptName;
  shard: string;
  /** Requests of the script, by the hold's key. */
  holds: string[];
  answer: () => void;
  fail: (error: Error) => void;
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

function bench() {
  const sent: Sent[] = [];
  const server: Server = {
    run: (name, keys, _args, calls = 1) =>
      new Promise((resolve, reject) => {
        const holds = keys.slice(-calls);
        const reply: Row = holds.map((hold) => ['DONE', hold]);
        const answer = () => resolve(reply);
        sent.push({ name, shard: keys[0] ?? '', holds, answer, fail: reject });
      }),
    command: () => Promise.reject(new Error('no command')),
    info: () => Promise.reject(new Error('no info')),
  };
  const connection = { on: (_key, call) => call(server) } satisfies Pick<Connection, 'on'>;
  const batches = createBatches(connection as Connection);
  const ended: string[] = [];
  const ask = (hold: string, shard = 1, name: BatchedName = 'authorize'): void => {
    const call: BatchedCall = {
      shard,
      keys: [`s${String(shard)}`],
      hold,
      uses: [],
      sameFor: '',
      common: () => [],
      args: [],
    };
    batches.run(name, call).then(
      () => ended.push(hold),
      (error: Error) => ended.push(`${hold}: ${error.message}`),
    );
  };
  return { sent, ended, ask };
}

/** As many as make the next call wait. */
const MANY = ['a', 'b', 'c', 'd'];

const holdsOf = (sent: readonly Sent[]) => sent.map(({ holds }) => holds.join(' '));

test('calls of one turn leave together at its end', async () => {
  const { ask, sent } = bench();
  ask('a');
  ask('b');
  expect(sent).toHaveLength(0);
  await turn();
  expect(holdsOf(sent)).toEqual(['a b']);
});

test('while few calls are unanswered the next one leaves at once', async () => {
  const { ask, sent } = bench();
  for (const hold of MANY) {
    ask(hold);
    await turn();
  }
  expect(holdsOf(sent)).toEqual(MANY);
});

test('what arrives while many are unanswered leaves together once they are answered', async () => {
  const { ask, sent, ended } = bench();
  for (const hold of MANY) ask(hold);
  await turn();
  ask('e');
  await turn();
  ask('f');
  await turn();
  expect(holdsOf(sent)).toEqual(['a b c d']);
  sent[0]?.answer();
  await turn();
  await turn();
  expect(holdsOf(sent)).toEqual(['a b c d', 'e f']);
  expect(ended).toEqual(MANY);
});

test('closes and authorizes leave together, closes first, and both are waited for', async () => {
  const { ask, sent } = bench();
  for (const hold of MANY) ask(hold);
  for (const hold of ['w', 'x', 'y', 'z']) ask(hold, 1, 'close');
  await turn();
  expect(sent.map(({ name }) => name)).toEqual(['close', 'authorize']);
  ask('e');
  sent[0]?.answer();
  await turn();
  await turn();
  expect(sent).toHaveLength(2);
  sent[1]?.answer();
  await turn();
  await turn();
  expect(holdsOf(sent)).toEqual(['w x y z', 'a b c d', 'e']);
});

test('a shard does not wait for another one', async () => {
  const { ask, sent } = bench();
  for (const hold of MANY) ask(hold, 1);
  await turn();
  ask('e', 2);
  await turn();
  expect(sent.map(({ shard }) => shard)).toEqual(['s1', 's2']);
});

test('a script that fails lets the next ones leave', async () => {
  const { ask, sent, ended } = bench();
  for (const hold of MANY) ask(hold);
  await turn();
  ask('e');
  sent[0]?.fail(new Error('gone'));
  await turn();
  await turn();
  expect(ended).toEqual(MANY.map((hold) => `${hold}: gone`));
  expect(holdsOf(sent)).toEqual(['a b c d', 'e']);
});

test('a script that takes too long is not waited for, and its answer changes nothing', async () => {
  const { ask, sent, ended } = bench();
  for (const hold of MANY) ask(hold);
  await turn();
  await jest.advanceTimersByTimeAsync(15);
  const later = ['e', 'f', 'g', 'h'];
  for (const hold of later) ask(hold);
  await jest.advanceTimersByTimeAsync(20);
  await turn();
  expect(holdsOf(sent)).toEqual(['a b c d', 'e f g h']);
  ask('i');
  sent[0]?.answer();
  await turn();
  await turn();
  expect(ended).toEqual(MANY);
  expect(holdsOf(sent)).toEqual(['a b c d', 'e f g h']);
  sent[1]?.answer();
  await turn();
  await turn();
  expect(holdsOf(sent)).toEqual(['a b c d', 'e f g h', 'i']);
});
