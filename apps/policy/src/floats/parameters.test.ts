import { checkParameters, endedKeptMs, FLOAT_PARAMETERS, shardFrom } from './parameters';

const ITEM_DEADLINE_MS = 500;

test('a hold of the last allowed instant is adopted before its float can be reclaimed', () => {
  checkParameters(FLOAT_PARAMETERS, ITEM_DEADLINE_MS);
  const of = (more: Partial<typeof FLOAT_PARAMETERS>) => () =>
    checkParameters({ ...FLOAT_PARAMETERS, ...more }, ITEM_DEADLINE_MS);
  expect(of({ silenceMs: 1_301 })).toThrow('takes up to 3501 ms');
  expect(of({ troubleMs: 2_300 })).toThrow('takes up to 3510 ms');
  expect(of({ leaseMs: 4_000 })).toThrow('leaves no time for decisions');
  expect(() => checkParameters(FLOAT_PARAMETERS, 1_301)).toThrow('takes up to 3501 ms');
});

test('an ended hold is remembered as long as a policy may believe in its copy', () => {
  expect(endedKeptMs(60_000)).toBe(120_000);
  expect(endedKeptMs(600_000)).toBe(615_000);
});

test('a rate is a count within the span, and never none', () => {
  expect(shardFrom(250, 150)).toBe(38);
  expect(shardFrom(0, 150)).toBe(1);
});
