import { experimentPlan, type ArmPlan } from '../directory/experiment-plan';
import { ask } from '../test-support/contexts';
import { armFor, identityOf } from './experiment';

const REQUESTS = 100_000;
const SEED = 20_261_128;

/** The same identities on every run. */
function identities(count: number, seed = SEED): Uint8Array[] {
  let state = seed;
  const byte = (): number => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
  return Array.from({ length: count }, () => Uint8Array.from({ length: 8 }, byte));
}

function arms(shares: Readonly<Record<string, number>>, experimentId = 'e-1'): readonly ArmPlan[] {
  return experimentPlan({
    experimentId,
    name: 'trial',
    model: 'assistant',
    startsAtMs: 0,
    endsAtMs: 0,
    shadow: null,
    arms: Object.entries(shares).map(([name, share]) => ({ name, modelId: `of-${name}`, share })),
  }).arms;
}

const assigned = (of: readonly ArmPlan[], ids: readonly Uint8Array[]): string[] =>
  ids.map((id) => armFor(of, id)?.name ?? 'none');

const share = (names: readonly string[], name: string): number =>
  (names.filter((one) => one === name).length * 100) / names.length;

test.each([
  [{ a: 50, b: 50 }],
  [{ control: 90, candidate: 10 }],
  [{ a: 99, b: 1 }],
  [{ a: 40, b: 30, c: 15, d: 10, e: 5 }],
  [{ a: 0, b: 100 }],
])('over 100,000 conversations the arms %j get their shares', (shares) => {
  const names = assigned(arms(shares), identities(REQUESTS));
  // Four standard deviations of the widest share are 0.64 points.
  for (const [name, percent] of Object.entries(shares)) {
    expect(Math.abs(share(names, name) - percent)).toBeLessThan(0.65);
  }
  for (const [name, percent] of Object.entries(shares)) {
    if (percent === 0) expect(names).not.toContain(name);
  }
});

test('a conversation has the same arm every time, whatever the order of the arms', () => {
  const ids = identities(5_000);
  const of = arms({ a: 40, b: 30, c: 30 });
  expect(assigned(of.toReversed(), ids)).toEqual(assigned(of, ids));
});

test('two experiments divide the same conversations independently', () => {
  const ids = identities(REQUESTS);
  const one = assigned(arms({ a: 50, b: 50 }, 'e-1'), ids);
  const other = assigned(arms({ a: 50, b: 50 }, 'e-2'), ids);
  const both = ids.filter((_, at) => one[at] === 'a' && other[at] === 'a').length;
  expect(Math.abs((both * 100) / REQUESTS - 25)).toBeLessThan(0.65);
});

test('changed shares of two arms move exactly the difference, in one direction', () => {
  const ids = identities(REQUESTS);
  const before = assigned(arms({ a: 50, b: 50 }), ids);
  const after = assigned(arms({ a: 60, b: 40 }), ids);
  const moved = before.filter((name, at) => name !== after[at]);
  expect(moved).not.toContain('a');
  expect(Math.abs((moved.length * 100) / REQUESTS - 10)).toBeLessThan(0.65);
});

test('whatever shares change, few conversations move, and only towards arms that gained on their own', () => {
  let state = SEED;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const ids = identities(4_000);
  for (let round = 0; round < 100; round += 1) {
    const names = ['a', 'b', 'c', 'd', 'e'].slice(0, 2 + random(4));
    const [before, after] = [drawn(names, random), drawn(names, random)];
    const [first, second] = [assigned(arms(before), ids), assigned(arms(after), ids)];
    let moved = 0;
    const wrong: string[] = [];
    for (const [at, from] of first.entries()) {
      const to = second[at] ?? '';
      if (from === to) continue;
      moved += 1;
      const [gained, lost] = [
        (after[to] ?? 0) * (before[from] ?? 0),
        (before[to] ?? 0) * (after[from] ?? 0),
      ];
      if (gained <= lost) wrong.push(`${from} to ${to}`);
    }
    expect({ round, before, after, wrong }).toEqual({ round, before, after, wrong: [] });
    const least = names.reduce(
      (sum, name) => sum + Math.max(0, (after[name] ?? 0) - (before[name] ?? 0)),
      0,
    );
    // Never more than twice as many as any assignment has to move, with four standard deviations of room.
    expect({
      round,
      before,
      after,
      few: (moved * 100) / ids.length <= 2 * least + 3.2,
    }).toMatchObject({
      few: true,
    });
  }
});

function drawn(
  names: readonly string[],
  random: (below: number) => number,
): Record<string, number> {
  let left = 100;
  return Object.fromEntries(
    names.map((name, at) => {
      const percent = at === names.length - 1 ? left : random(left + 1);
      left -= percent;
      return [name, percent];
    }),
  );
}

test('a request is known by its conversation, else by its end user, else by itself', () => {
  const affinity = Buffer.alloc(8, 1);
  const conversation = Buffer.alloc(8, 2);
  const claimed = { endUser: 'ada', session: '', tags: '', metadata: '' };
  expect(identityOf(ask({ affinity, conversation, claimed }))).toBe(affinity);
  expect(identityOf(ask({ conversation, claimed }))).toBe(conversation);
  const ofAda = identityOf(ask({ claimed }));
  expect(identityOf(ask({ claimed }))).toEqual(ofAda);
  expect(identityOf(ask({ claimed: { ...claimed, endUser: 'bob' } }))).not.toEqual(ofAda);
  expect(identityOf(ask({ claimed, keySha256: Buffer.alloc(32, 9) }))).not.toEqual(ofAda);
  const kept = ask({ affinity, conversation, conversationId: 'conv_1' });
  expect(identityOf(kept)).toEqual(identityOf(ask({ conversationId: 'conv_1' })));
  expect(identityOf(kept)).not.toEqual(identityOf(ask({ conversationId: 'conv_2' })));
  const alone = ask();
  expect(identityOf(alone)).toEqual(identityOf(alone));
  expect(identityOf(ask())).not.toEqual(identityOf(alone));
  expect(identityOf(alone)).toHaveLength(8);
});
