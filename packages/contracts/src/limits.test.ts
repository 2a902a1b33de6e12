import fc from 'fast-check';

import { CLOSE_MODES, OUTCOMES, QUOTA_METRICS } from './enums';
import {
  limitApplies,
  limitFromWire,
  limitToWire,
  metricAmount,
  type Limit,
  type MetricEntry,
} from './limits';
import { DirectoryDefinition } from './node';
import { emptyUsage } from './token-usage';

const target = { modelId: 'm', mcpServerId: 's' };
const subject = { organisationId: 'o', teamId: 't', userId: '', apiKeyId: 'k' };

test.each([
  ['ORGANISATION', 'o'],
  ['TEAM', 't'],
  ['API_KEY', 'k'],
  ['MODEL', 'm'],
  ['MCP_SERVER', 's'],
] as const)('a limit of a %s binds its own requests and no others', (scopeType, scopeId) => {
  expect(limitApplies({ scopeType, scopeId }, subject, target)).toBe(true);
  expect(limitApplies({ scopeType, scopeId: 'another' }, subject, target)).toBe(false);
});

test('a request without a user is bound by no limit of a user', () => {
  expect(limitApplies({ scopeType: 'USER', scopeId: 'u' }, subject, target)).toBe(false);
  expect(limitApplies({ scopeType: 'USER', scopeId: '' }, subject, target)).toBe(false);
});

const settled: MetricEntry = {
  costNanoUsd: 123n,
  usage: { ...emptyUsage(), input: 10, cacheRead: 5, output: 7, audioOutput: 1, reasoning: 3 },
  httpStatus: 200,
  outcome: 'COMPLETED',
  upstreamMs: 250,
  mode: 'SETTLED',
  operation: 'chat',
};

test('an answered request adds itself, its tokens, its cost and its time', () => {
  const amounts = QUOTA_METRICS.map((metric) => [metric, metricAmount(metric, settled)]);
  expect(Object.fromEntries(amounts)).toEqual({
    REQUESTS: 1n,
    TOKENS: 23n,
    TOKENS_IN: 15n,
    TOKENS_OUT: 8n,
    ERRORS: 0n,
    COST: 123n,
    LATENCY_MS: 250n,
  });
});

test('a list or a handshake of an MCP server adds nothing but its cost', () => {
  const listed: MetricEntry = { ...settled, operation: 'mcp_request', httpStatus: 502 };
  for (const metric of QUOTA_METRICS) {
    expect(metricAmount(metric, listed)).toBe(metric === 'COST' ? 123n : 0n);
  }
});

test('a cancelled request adds nothing', () => {
  const cancelled: MetricEntry = {
    ...settled,
    mode: 'CANCELLED',
    httpStatus: 502,
    outcome: 'FAILED',
  };
  for (const metric of QUOTA_METRICS) expect(metricAmount(metric, cancelled)).toBe(0n);
});

test.each([
  [200, 'COMPLETED', 0n],
  [200, 'PARTIAL', 1n],
  [200, 'FAILED', 1n],
  [502, 'FAILED', 1n],
  [503, '', 1n],
  [429, 'FAILED', 1n],
  [400, 'FAILED', 0n],
  [200, 'CLIENT_CLOSED', 0n],
  [200, 'BUDGET_STOPPED', 0n],
  [0, 'FAILED', 1n],
] as const)('status %d, outcome %s: %d errors', (httpStatus, outcome, errors) => {
  expect(metricAmount('ERRORS', { ...settled, httpStatus, outcome })).toBe(errors);
});

test('no entry ever lowers a counter, and tokens are the sum of both directions', () => {
  const entries: fc.Arbitrary<MetricEntry> = fc.record({
    costNanoUsd: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    usage: fc.record({
      input: fc.nat(),
      cacheRead: fc.nat(),
      cacheWrite5m: fc.nat(),
      cacheWrite1h: fc.nat(),
      audioInput: fc.nat(),
      imageInput: fc.nat(),
      output: fc.nat(),
      audioOutput: fc.nat(),
      imageOutput: fc.nat(),
      reasoning: fc.nat(),
    }),
    httpStatus: fc.integer({ min: 0, max: 599 }),
    outcome: fc.constantFrom('', ...OUTCOMES),
    upstreamMs: fc.nat(),
    mode: fc.constantFrom(...CLOSE_MODES),
    operation: fc.constantFrom('chat', 'mcp_call', 'mcp_request'),
  });
  fc.assert(
    fc.property(entries, (entry) => {
      for (const metric of QUOTA_METRICS)
        expect(metricAmount(metric, entry)).toBeGreaterThanOrEqual(0n);
      expect(metricAmount('TOKENS', entry)).toBe(
        metricAmount('TOKENS_IN', entry) + metricAmount('TOKENS_OUT', entry),
      );
    }),
  );
});

const limit: Limit = {
  limitId: 'l',
  kind: 'QUOTA',
  metric: 'TOKENS',
  scopeType: 'TEAM',
  scopeId: 't',
  period: 'DAILY',
  windowSeconds: 0,
  limit: 9_000_000_000_000_000n,
  mode: 'HARD',
  clamp: true,
};

test('a limit crosses the wire unchanged', () => {
  const reply = DirectoryDefinition.ResolveKey;
  const read = reply.responseDeserialize(
    reply.responseSerialize({ context: { limits: [limitToWire(limit)] } }),
  );
  expect((read.context?.limits ?? []).map(limitFromWire)).toEqual([limit]);
});

test.each([
  ['kind', { kind: 'FEE' }],
  ['metric', { metric: 'JOULES' }],
  ['scopeType', { scopeType: 'PLANET' }],
  ['period', { period: 'YEARLY' }],
  ['limit', { limit: '1.5' }],
  ['limit', { limit: '' }],
  ['mode', { mode: '' }],
])('a wire limit with an unknown %s is refused by name', (field, change) => {
  expect(() => limitFromWire({ ...limitToWire(limit), ...change })).toThrow(`limit l: ${field}`);
});
