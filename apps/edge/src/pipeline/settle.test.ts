import type { Attempt, SettleRequest } from '@tollgate/contracts/node';

import type { Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { settle } from './settle';

const ending = {
  candidate: undefined,
  outcome: 'FAILED',
  usage: {},
  units: {},
  quality: 'EXACT',
  costNanoUsd: 0n,
  httpStatus: 502,
  errorCode: 'upstream_error',
  firstTokenMs: 0,
  stopReason: '',
  responseId: '',
  itemIds: [],
};

/** The settle of a request that no candidate answered. */
function sentFor(attempts: Attempt[]): SettleRequest {
  const sent: SettleRequest[] = [];
  const gateway = {
    nowMs: () => 0,
    policy: { settle: (_hold: unknown, message: SettleRequest) => sent.push(message) },
  };
  const candidates = ['a', 'b'].map((modelId) => ({
    modelId,
    providerId: `provider-${modelId}`,
    price: { priceId: `price-${modelId}` },
  }));
  const exchange = {
    requestId: 'r',
    req: { headers: {} },
    startedMs: 0,
    used: true,
    hold: {},
    sideCharge: undefined,
    allow: { candidates },
    job: undefined,
    attempts,
    ending,
  };
  // The function reads no other fields.
  settle(gateway as unknown as Gateway, exchange as unknown as Exchange);
  const [message] = sent;
  if (message === undefined) throw new Error('nothing was settled');
  return message;
}

test('a request that no candidate answered is booked under the candidate that cost something', () => {
  const refused = { modelId: 'a', costNanoUsd: '0' };
  expect(sentFor([refused])).toMatchObject({ modelId: 'a', priceId: 'price-a' });
  expect(sentFor([refused, { modelId: 'b', costNanoUsd: '7' }])).toMatchObject({
    modelId: 'b',
    providerId: 'provider-b',
    priceId: 'price-b',
  });
  expect(sentFor([])).toMatchObject({ modelId: 'a' });
});

test('or under the one that used tokens, if none cost anything', () => {
  const used = { modelId: 'b', costNanoUsd: '0', usage: { input: 3 } };
  expect(sentFor([{ modelId: 'a' }, used])).toMatchObject({ modelId: 'b' });
  const paid = { modelId: 'a', costNanoUsd: '1' };
  expect(sentFor([paid, used])).toMatchObject({ modelId: 'a' });
});

test('attempts are limited to what a record takes; the ones with a cost and the last one stay', () => {
  const attempts = Array.from({ length: 100 }, (_, at) => ({
    modelId: at === 80 ? 'b' : 'a',
    costNanoUsd: at === 80 ? '5' : '',
    latencyMs: at,
  }));
  const sent = sentFor(attempts).attempts ?? [];
  expect(sent).toHaveLength(64);
  expect(sent.map(({ latencyMs }) => latencyMs)).toEqual([
    ...Array.from({ length: 62 }, (_, at) => at),
    80,
    99,
  ]);
});
