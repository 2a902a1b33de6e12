import { SETTLED_NUMBERS } from '@tollgate/contracts';
import { newRequestId } from '@tollgate/contracts/node';

import { settled } from '../test-support/contexts';
import { checkSettle } from './requests';

const settle = (changes: object) => settled(newRequestId(), Buffer.alloc(0), changes);

test.each(SETTLED_NUMBERS)(
  '$column of a settle is refused above $most',
  ({ name, column, most }) => {
    expect(() => checkSettle(settle({ [name]: most }))).not.toThrow();
    expect(() => checkSettle(settle({ [name]: most + 1 }))).toThrow(`${column}: must be`);
    expect(() => checkSettle(settle({ [name]: -1 }))).toThrow(`${column}: must be`);
  },
);

test('what screening found is bounded', () => {
  expect(() => checkSettle(settle({ screening: 'a'.repeat(2_000) }))).not.toThrow();
  expect(() => checkSettle(settle({ screening: 'a'.repeat(2_001) }))).toThrow(
    'screening: too long',
  );
});

test('statuses and times of a settle have bounds', () => {
  const sevenDays = 604_800_000;
  expect(() => checkSettle(settle({ httpStatus: 1_000 }))).toThrow('http_status: must be');
  expect(() => checkSettle(settle({ latencyMs: sevenDays + 1 }))).toThrow('latency_ms: must be');
  expect(() => checkSettle(settle({ firstTokenMs: sevenDays + 1 }))).toThrow(
    'first_token_ms: must',
  );
  expect(() => checkSettle(settle({ upstreamMs: sevenDays + 1 }))).toThrow('upstream_ms: must be');
});

test('what a settle says of the response cache is bounded', () => {
  for (const responseCache of ['', 'HIT', 'MISS', 'BYPASS']) {
    expect(() => checkSettle(settle({ responseCache }))).not.toThrow();
  }
  expect(() => checkSettle(settle({ responseCache: 'hit' }))).toThrow('response_cache: not a');
  expect(() => checkSettle(settle({ cachedCostNanoUsd: '12' }))).not.toThrow();
  expect(() => checkSettle(settle({ cachedCostNanoUsd: '-1' }))).toThrow(
    'cached_cost_nano_usd: must be',
  );
  expect(() => checkSettle(settle({ firstChoiceCostNanoUsd: '12' }))).not.toThrow();
  expect(() => checkSettle(settle({ firstChoiceCostNanoUsd: 'x' }))).toThrow(
    'first_choice_cost_nano_usd: must be',
  );
});
