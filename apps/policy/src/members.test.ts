import { createLogger } from '@tollgate/kit';

import { createMembers, nameMember } from './members';

const OLDER = '6f2c9d1e-5a0b-4a57-9f4e-0d8a4c1b7e55';
const MINE = nameMember();

function bench() {
  const clock = { ms: 1_000 };
  const lines: string[] = [];
  const counts: number[] = [];
  const members = createMembers({
    monotonicMs: () => clock.ms,
    onOlder: (count) => counts.push(count),
    log: createLogger({ service: 'test', level: 'info', write: (line) => lines.push(line) }),
  });
  const messages = (): string[] =>
    lines.map((line) => (JSON.parse(line) as { message: string }).message);
  /** Rounds of claims every 2.5 s, the first at once; each finds the same. */
  const rounds = (count: number, names: string[]): void => {
    for (let i = 0; i < count; i += 1) {
      if (i > 0) clock.ms += 2_500;
      members.see(names);
    }
  };
  return { clock, counts, members, messages, rounds };
}

test('nobody is known to know floats before the first round of claims', () => {
  const { members, messages } = bench();
  expect(members.allKnowFloats()).toBe(false);
  members.see([MINE, nameMember()]);
  expect(members.allKnowFloats()).toBe(true);
  expect(messages()).toEqual([]);
});

test('an older policy counts for 10 seconds after it was last seen, and is told of once', () => {
  const { clock, counts, members, messages, rounds } = bench();
  members.see([MINE]);
  rounds(2, [MINE, OLDER, 'another']);
  expect(members.allKnowFloats()).toBe(false);
  clock.ms += 2_500;
  rounds(3, [MINE]);
  expect(members.allKnowFloats()).toBe(false);
  clock.ms += 2_499;
  expect(members.allKnowFloats()).toBe(false);
  clock.ms += 1;
  expect(members.allKnowFloats()).toBe(true);
  expect(counts).toEqual([0, 2, 2, 0, 0, 0]);
  expect(messages()).toEqual([
    'policies of a release without floats run',
    'all policies know floats',
  ]);
});

test('nothing is known while no round succeeds, and for 10 seconds after', () => {
  const { clock, members, rounds } = bench();
  members.see([MINE]);
  clock.ms += 9_999;
  expect(members.allKnowFloats()).toBe(true);
  clock.ms += 1;
  expect(members.allKnowFloats()).toBe(false);
  // All claims have lapsed: of an older policy, too, which may not have claimed again yet.
  rounds(4, [MINE]);
  expect(members.allKnowFloats()).toBe(false);
  clock.ms += 2_500;
  rounds(1, [MINE]);
  expect(members.allKnowFloats()).toBe(true);
});

test('each process has a name of its own', () => {
  expect(nameMember()).not.toBe(MINE);
});
