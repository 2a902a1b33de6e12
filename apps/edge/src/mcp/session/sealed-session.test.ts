import { createHash, randomBytes } from 'node:crypto';
import { parseKeyRing } from '@tollgate/contracts/node';
import fc from 'fast-check';

import { createSessionSeals, type McpSession } from './sealed-session';

const SERVER = '01990000-0000-7000-8000-00000000abcd';
const FIRST = `s1:${randomBytes(32).toString('base64')}`;
const SECOND = `s2:${randomBytes(32).toString('base64')}`;
const seals = createSessionSeals(parseKeyRing(FIRST));
const KEY = createHash('sha256').update('tg_one').digest();
const OTHER_KEY = createHash('sha256').update('tg_two').digest();

function session(over: Partial<McpSession> = {}): McpSession {
  const upstreamId = '5f9c1d9e-6ce5-4c0f-9f4b-3f1f5d0e2a11';
  return { serverId: SERVER, connectionVersion: 3, upstreamId, runnerUrl: '', ...over };
}

function sealed(over: Partial<McpSession> = {}): string {
  const text = seals.seal(session(over), KEY);
  if (text === undefined) throw new Error('not sealed');
  return text;
}

test('a sealed session is opened for its own key, with all its parts', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.webUrl().filter((url) => url.length <= 255),
      fc.nat({ max: 2 ** 31 }),
      (upstreamId, runnerUrl, connectionVersion) => {
        const made = session({ upstreamId, runnerUrl, connectionVersion });
        expect(seals.open(seals.seal(made, KEY) ?? '', KEY)).toEqual(made);
      },
    ),
  );
});

test('an id of common length is sealed into at most 400 visible ASCII characters', () => {
  const text = sealed({ upstreamId: 'x'.repeat(128), runnerUrl: 'http://runner-0.runner:8086' });
  expect(text).toMatch(/^[\x21-\x7e]{1,400}$/);
});

test('another key cannot open it', () => {
  expect(seals.open(sealed(), OTHER_KEY)).toBeUndefined();
});

test('no character can be changed', () => {
  const text = sealed();
  for (let at = 0; at < text.length; at += 1) {
    // The last one has unused bits, so that `A` and `B` may stand for the same bytes.
    for (const other of ['A', 'B', 'g'].filter((character) => character !== text[at])) {
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      expect(seals.open(changed, KEY)).toBeUndefined();
    }
  }
});

test.each(['', 'x', 's1~', 's1~AAAA', '~AAAA', 's9~' + 'A'.repeat(200), 'A'.repeat(5_000)])(
  'what was not sealed here is not opened: %.20s',
  (text) => {
    expect(seals.open(text, KEY)).toBeUndefined();
  },
);

test('after a rotation new sessions have the new key, and old ones open while the old key is listed', () => {
  const old = sealed();
  const rotated = createSessionSeals(parseKeyRing(`${SECOND},${FIRST}`));
  expect(rotated.open(old, KEY)).toEqual(session());
  expect(rotated.seal(session(), KEY)).toMatch(/^s2~/);
  expect(createSessionSeals(parseKeyRing(SECOND)).open(old, KEY)).toBeUndefined();
});

test('two seals of one session differ', () => {
  expect(sealed()).not.toBe(sealed());
});

test.each([
  ['an upstream id that is too long', { upstreamId: 'x'.repeat(1_025) }],
  ['a runner URL that is too long', { runnerUrl: 'x'.repeat(256) }],
  ['a server id that is no UUID', { serverId: 'server-1' }],
])('%s is not sealed', (_what, over) => {
  expect(seals.seal(session(over), KEY)).toBeUndefined();
});
