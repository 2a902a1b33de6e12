import { LedgerDefinition, type SettleRequest__Output } from '@tollgate/contracts/node';

import type { LedgerEntry } from '../store';
import { KEY, SUBJECT } from '../test-support/contexts';
import { abandonedSettle, cancelledSettle, closeOf, closeWithEntry, entryOf } from './closing';
import type { Ticket } from './ticket';

// What a close writes into the stream, and what the drainer makes of it for the catalog.

const ticket: Ticket = {
  shard: 7,
  keySha256: KEY,
  subject: SUBJECT,
  timeZone: 'Europe/Berlin',
  operation: 'chat',
  route: '/v1/llm/chat',
  clientRequestId: '',
  inputTokens: 10,
  audioInputTokens: 0,
  units: {},
  choices: 1,
  heldOutputTokens: 20,
  heldNanoUsd: 500n,
  outputPrice: 2n,
  clamped: false,
  step: 0,
  candidates: [],
  limits: [],
};
const usage = {
  input: 3,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 5,
  audioOutput: 0,
  imageOutput: 0,
  reasoning: 0,
};
const settle: SettleRequest__Output = {
  ...cancelledSettle('r', Buffer.from('a token')),
  cancelled: false,
  outcome: 'COMPLETED',
  usage,
  units: { image: '2' },
  usageQuality: 'EXACT',
  costNanoUsd: '700',
  modelId: 'm',
  httpStatus: 200,
  attempts: [
    {
      modelId: 'm',
      providerId: 'p',
      connectionVersion: 0,
      outcome: 'OK',
      startedAtMs: 1,
      latencyMs: 2,
      firstTokenMs: 0,
      httpStatus: 200,
      usage,
      costNanoUsd: '700',
      upstreamRequestId: '',
      upstreamModel: 'up',
      priceId: '',
      hedge: false,
      message: '',
      region: '',
      uncachedCostNanoUsd: '',
      serviceTier: '',
    },
    {
      modelId: 'n',
      providerId: '',
      connectionVersion: 0,
      outcome: 'TIMEOUT',
      startedAtMs: 0,
      latencyMs: 0,
      firstTokenMs: 0,
      httpStatus: 0,
      usage: null,
      costNanoUsd: '',
      upstreamRequestId: '',
      upstreamModel: 'up',
      priceId: '',
      hedge: true,
      message: 'Overloaded',
      region: '',
      uncachedCostNanoUsd: '',
      serviceTier: '',
    },
  ],
};

const closed = closeOf({
  mode: 'SETTLED',
  requestId: 'r',
  ticket,
  authorisedAtMs: 1,
  leaseUntilMs: 2,
  settle,
});

function stored(payload: string): LedgerEntry {
  return {
    seq: 1,
    requestId: 'r',
    mode: 'SETTLED',
    late: false,
    authorisedAtMs: 1,
    closedAtMs: 2,
    usage: closed.usage,
    dimensions: closed.dimensions,
    touched: [],
    payload,
  };
}

/** As the catalog decodes it. */
function arrived(payload: string) {
  const { requestSerialize, requestDeserialize } = LedgerDefinition.Append;
  const read = requestDeserialize(requestSerialize({ entries: [entryOf(stored(payload))] }));
  return read.entries[0];
}

test('the catalog gets the whole settle, of which the stream keeps no defaults and no token', () => {
  const arrivedSettle = arrived(closed.payload)?.settle;
  expect(arrivedSettle).toEqual({ ...settle, holdToken: Buffer.alloc(0) });
  expect(closed.payload).not.toMatch(/holdToken|cacheRead|hedge":false|errorCode/);
  expect(arrived(closed.payload)).toMatchObject({
    subject: SUBJECT,
    heldNanoUsd: '500',
    estimateShortfallNanoUsd: '200',
    inputTokensEstimate: 10,
  });
});

test('the entry of a close is the one that the stream would give back', () => {
  const ticketLimits = [
    { limitId: 'a', kind: 'BUDGET', metric: '', period: 'DAILY' },
    { limitId: 'b', kind: 'QUOTA', metric: 'REQUESTS', period: 'DAILY' },
    { limitId: 'c', kind: 'RATE_CONCURRENT', metric: '', period: '' },
  ] as const;
  const limits = ticketLimits.map((limit) => ({
    ...limit,
    scopeType: 'ORGANISATION' as const,
    scopeId: 'o',
    windowSeconds: 0,
    limit: 10n,
    mode: 'HARD' as const,
    windowStartMs: 5,
    windowEndMs: 9,
    held: 1n,
  }));
  const mcp = {
    rpcErrorCode: -32_000,
    isError: true,
    protocolVersion: '2025-11-25',
    resultType: '',
    requestBytes: 5,
    responseBytes: 7,
    sessionSha256: KEY,
    traceId: '',
  };
  const { item, entry } = closeWithEntry({
    mode: 'SETTLED',
    requestId: 'r',
    ticket: { ...ticket, limits },
    authorisedAtMs: 1,
    leaseUntilMs: 2,
    settle: { ...settle, mcp },
  });
  const outcome = { seq: 4, nowMs: 3, authorisedAtMs: 6, charged: '01' };
  const made = entry(outcome);
  const read = entryOf({
    ...stored(item.payload),
    seq: 4,
    authorisedAtMs: 6,
    closedAtMs: 3,
    touched: [{ limitId: 'b', windowStartMs: 5, windowEndMs: 9, amount: 1n }],
  });
  const { requestSerialize } = LedgerDefinition.Append;
  expect(requestSerialize({ entries: [made] })).toEqual(requestSerialize({ entries: [read] }));
  expect(() => entry({ ...outcome, charged: '1' })).toThrow('charged digits');
});

test('an abandoned hold, and a settle that names no arm, have the arm of the hold', () => {
  const arm = { experimentId: 'e', arm: 'candidate' };
  const settleOf = (given: SettleRequest__Output, of: Ticket) => {
    const closing = {
      mode: 'SETTLED',
      requestId: 'r',
      authorisedAtMs: 1,
      leaseUntilMs: 2,
    } as const;
    return arrived(closeOf({ ...closing, ticket: of, settle: given }).payload)?.settle;
  };
  const inArm = { ...ticket, arm };
  const expected = { experimentId: 'e', experimentArm: 'candidate' };
  expect(settleOf(abandonedSettle('r', inArm), inArm)).toMatchObject(expected);
  expect(settleOf(settle, inArm)).toMatchObject(expected);
  const told = { ...settle, experimentId: 'other', experimentArm: 'control' };
  expect(settleOf(told, inArm)).toMatchObject({ experimentId: 'other', experimentArm: 'control' });
  expect(settleOf(settle, ticket)).toMatchObject({ experimentId: '', experimentArm: '' });
});

test('entries of releases that wrote every field mean the same', () => {
  const whole = { ...JSON.parse(closed.payload), settle: { ...settle, holdToken: undefined } };
  expect(arrived(JSON.stringify(whole))).toEqual(arrived(closed.payload));
});

test('a payload that is not one of ours is refused with the field that is wrong', () => {
  const wrong = (change: object) => () =>
    entryOf(stored(JSON.stringify({ ...JSON.parse(closed.payload), ...change })));
  expect(wrong({ route: 3 })).toThrow('route');
  expect(wrong({ subject: {} })).toThrow('organisationId');
  expect(wrong({ settle: [] })).toThrow('settle');
  expect(wrong({ inputTokensEstimate: '3' })).toThrow('inputTokensEstimate');
  expect(() => entryOf(stored('null'))).toThrow('payload');
  expect(() => entryOf(stored('{'))).toThrow(SyntaxError);
});
