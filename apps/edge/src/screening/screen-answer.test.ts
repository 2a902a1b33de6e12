import { createProgram, createScreening } from '@tollgate/screening';

import { screenAnswer } from './screen-answer';
import { CANARY, ruleOf } from './test-support/rules';

const JSON_ANSWER = 'application/json';

function start(action: string) {
  const rule = ruleOf({ action });
  const program = createProgram([{ policy: 'house', version: 1, rule }]);
  const screening = createScreening({ program, random: () => 0 });
  const route = { operation: 'chat' } as Parameters<typeof screenAnswer>[1]['route'];
  let nowMs = 0;
  // Each look at the clock is later than a turn lasts.
  const gateway = { nowMs: () => (nowMs += 11) };
  return (answer: unknown) =>
    screenAnswer(gateway, { route, screening }, JSON.stringify(answer), JSON_ANSWER);
}

const filler = 'word '.repeat(10_000);
const long = { choices: [{ message: { content: `${filler}${CANARY} ${filler}` } }] };

test('a short answer is screened at once', () => {
  expect(start('MASK')({ text: CANARY })).toBe('{"text":"<KEYWORD_1>"}');
});

test('a long answer is masked in pieces, while others have their turn', async () => {
  const screened = start('MASK')(long);
  expect(screened).toBeInstanceOf(Promise);
  let others = 0;
  const other = (): void => {
    others += 1;
    if (others < 4) setImmediate(other);
  };
  setImmediate(other);
  const text = String(await screened);
  expect(others).toBe(4);
  expect(text).toContain('<KEYWORD_1>');
  expect(text).not.toContain('canary');
  expect(text).toHaveLength(JSON.stringify(long).length - CANARY.length + '<KEYWORD_1>'.length);
});

test('a long answer is refused', async () => {
  await expect(start('BLOCK')(long)).rejects.toMatchObject({ code: 'content_blocked' });
});
