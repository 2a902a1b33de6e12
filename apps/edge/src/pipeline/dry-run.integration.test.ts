// A dry run answers what would be decided: nothing is held, called, booked or listed.

import { createHash } from 'node:crypto';
import { parseKeyRing, sealDryRunTicket } from '@tollgate/contracts/node';

import { ROUTES, type Route } from '../routes';
import { bodyFor, pathFor } from '../test-support/bodies';
import { KEY_RING } from '../test-support/fake-catalog';
import {
  allow,
  candidate,
  chat,
  deny,
  errorOf,
  routed,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

const DRY = { 'x-tollgate-dry-run': 'true' };

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ DRY_RUNS_PER_MINUTE: 1_000 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

interface Answer {
  object: string;
  requestId: string;
  decision: string;
  error: { code: string; status: number; message: string; details?: object } | null;
  checks: { check: string; passed: boolean }[];
  candidates: { model: string; provider: string; translation: Record<string, unknown> | null }[];
  leftOut: { modelId: string; reason: string }[];
  limits: object[];
  hold: object | null;
  screening: object | null;
}

async function answerOf(response: Response): Promise<Answer> {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/json',
  ]);
  expect(response.headers.get('x-tollgate-dry-run')).toBe('true');
  return (await response.json()) as Answer;
}

/** Nothing has left the gateway, but for the question. */
function expectNothingDone(): void {
  expect(h.upstream.received).toHaveLength(0);
  expect(h.policy.authorized).toHaveLength(0);
  expect(h.policy.settled).toHaveLength(0);
  expect(h.policy.refused).toHaveLength(0);
}

const rows = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const send = (route: Route, headers: Record<string, string> = DRY) =>
  h.send(pathFor(route), bodyFor(route), headers, route.method);

describe.each(rows)('%s', (_, route) => {
  test('asks policy the same question and calls nobody', async () => {
    const vllm = route.family === 'vllm';
    const one = candidate({
      providerType: vllm ? 'PROVIDER_D' : 'PROVIDER_A',
      upstreamFormat: vllm ? 'vllm' : 'openai',
    });
    h.policy.decide = () => allow([one]);
    const answer = await answerOf(await send(route));
    expectNothingDone();
    const [question] = h.policy.dryRuns;
    expect(question).toMatchObject({ operation: route.operation, route: route.path });
    expect(answer).toMatchObject({
      object: 'tollgate.dry_run',
      requestId: question?.requestId,
      decision: 'allow',
      error: null,
    });
    expect(answer.candidates).toMatchObject([{ provider: 'provider_a' }]);
    // The real request asks the same, under another id.
    h.policy.decide = () => deny('budget_exceeded');
    await send(route, {});
    const [real] = h.policy.authorized;
    expect({ ...real, requestId: '' }).toEqual({ ...question, requestId: '' });
  });

  test('a refusal is the answer', async () => {
    h.policy.decide = () => deny('budget_exceeded', { detailsJson: '{"need":{"inputTokens":7}}' });
    const answer = await answerOf(await send(route));
    expectNothingDone();
    expect(answer).toMatchObject({
      decision: 'deny',
      error: {
        code: 'budget_exceeded',
        status: 402,
        message: 'refused: budget_exceeded',
        details: { need: { inputTokens: 7 } },
      },
    });
  });

  test('a key that is not valid is 401 in the route’s format', async () => {
    h.policy.decide = () => deny('invalid_api_key');
    const response = await send(route);
    expect(response.status).toBe(401);
    expect(response.headers.get('x-tollgate-error-code')).toBe('invalid_api_key');
    expect((await send(route, { ...DRY, authorization: '' })).status).toBe(401);
  });
});

test('a body that is not valid is 400 in the caller’s format, and in no list of refusals', async () => {
  const response = await h.post('/v1/messages', { model: 'x', messages: 'no' }, DRY);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: 'error' });
  expectNothingDone();
  expect(h.policy.dryRuns).toHaveLength(0);
});

test('a value that is neither true nor false is refused, so that nothing is called by mistake', async () => {
  for (const value of ['1', 'yes', 'TRUE', '']) {
    const response = await h.post('/v1/chat/completions', chat(), { 'x-tollgate-dry-run': value });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ param: 'x-tollgate-dry-run' });
  }
  expectNothingDone();
});

test('false is a request like any other', async () => {
  const headers = { 'x-tollgate-dry-run': 'false' };
  expect((await h.post('/v1/chat/completions', chat(), headers)).status).toBe(200);
  expect(h.policy.authorized).toHaveLength(1);
  expect(h.policy.dryRuns).toHaveLength(0);
});

test('the translation for every candidate is told with what it loses', async () => {
  const other = candidate({
    modelId: 'model-2',
    modelName: 'other-model',
    providerType: 'PROVIDER_B',
    providerLabel: 'provider_b',
    upstreamFormat: 'anthropic',
  });
  h.policy.decide = () => routed([candidate(), other]);
  const body = chat({ seed: 7, presence_penalty: 0.5 });
  const { candidates, checks } = await answerOf(await h.post('/v1/llm/chat', body, DRY));
  expect(candidates.map(({ translation }) => translation)).toMatchObject([
    { format: 'openai-chat', upstreamFormat: 'openai', dropped: [] },
    {
      format: 'anthropic-messages',
      upstreamFormat: 'anthropic',
      translated: true,
      dropped: expect.arrayContaining(['seed', 'presence_penalty']),
    },
  ]);
  expect(checks).toEqual([{ check: 'translation', passed: true }]);
});

test('a parameter that cannot be written is the answer where the client is strict', async () => {
  const one = candidate({ providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' });
  h.policy.decide = () => allow([one]);
  const headers = { ...DRY, 'x-tollgate-strict': 'true' };
  const answer = await answerOf(await h.post('/v1/llm/chat', chat({ seed: 7 }), headers));
  expect(answer).toMatchObject({
    decision: 'deny',
    error: { code: 'unsupported_parameter', status: 400, param: 'seed' },
    checks: [{ check: 'translation', passed: false }],
    candidates: [{ translation: { error: { code: 'unsupported_parameter' } } }],
  });
  // The real request is refused in the same words.
  const real = await h.post('/v1/llm/chat', chat({ seed: 7 }), { 'x-tollgate-strict': 'true' });
  expect(real.status).toBe(400);
  expect(await errorOf(real)).toMatchObject({ code: 'unsupported_parameter', param: 'seed' });
});

test('a ticket of the catalog stands for its key, in dry runs only', async () => {
  const keySha256 = createHash('sha256').update('another key').digest();
  const ticketFor = (ms: number) => {
    const expiresAtMs = Date.now() + ms;
    return sealDryRunTicket(parseKeyRing(KEY_RING), { keySha256, expiresAtMs });
  };
  const send = (ticket: string, more: Record<string, string>) =>
    h.post(
      '/v1/messages',
      { ...chat(), max_tokens: 9 },
      {
        authorization: '',
        'x-tollgate-dry-run-ticket': ticket,
        ...more,
      },
    );
  await answerOf(await send(ticketFor(60_000), DRY));
  expect(h.policy.dryRuns[0]?.keySha256).toEqual(keySha256);
  for (const [ticket, more] of [
    [ticketFor(-1), DRY],
    ['test~AAAA', DRY],
    [ticketFor(60_000), {}],
  ] as const) {
    expect((await send(ticket, more)).status).toBe(401);
  }
  expectNothingDone();
});

test('amounts are dollars and counts, before and with the request', async () => {
  const before = {
    limitId: 'limit-1',
    kind: 'BUDGET',
    metric: 'COST',
    scopeType: 'TEAM',
    scopeId: 'team-1',
    limit: '1000000000',
    settled: '400000000',
    held: '100000000',
    remaining: '500000000',
    mode: 'HARD',
    period: 'MONTHLY',
    resetsAtMs: 1_800_000_000_000,
  };
  const unknown = { ...before, limitId: 'limit-2', settled: '', held: '', remaining: '' };
  h.policy.dryRun = () => ({
    ...allow(),
    checks: [{ name: 'limits', passed: true }],
    hold: { nanoUsd: '200000000', inputTokens: 9, outputTokens: 50, choices: 1 },
    limits: [
      { before, requested: '200000000', exceeded: false, lent: '100000000' },
      { before: unknown, requested: '200000000', exceeded: false, lent: '0' },
    ],
  });
  const answer = await answerOf(await h.post('/v1/chat/completions', chat(), DRY));
  expect(answer.hold).toMatchObject({ usd: '0.20', inputTokens: 9, outputTokens: 50 });
  expect(answer.limits).toMatchObject([
    {
      id: 'limit-1',
      scope: { type: 'TEAM', id: 'team-1' },
      limit: '1.00',
      before: { settled: '0.40', held: '0.10', remaining: '0.50' },
      requested: '0.20',
      after: { held: '0.30', remaining: '0.30' },
      lent: '0.10',
      resetsAt: '2027-01-15T08:00:00.000Z',
    },
    { before: { settled: null, held: null, remaining: null }, after: null },
  ]);
});

test('nothing that providers keep to themselves is told', async () => {
  const response = await h.post('/v1/chat/completions', chat(), DRY);
  const text = await response.text();
  for (const secret of ['provider-1', h.upstream.url, 'gpt-upstream', 'connectionVersion']) {
    expect(text).not.toContain(secret);
  }
});

test('dry runs are counted apart, and no other metric counts them', async () => {
  const counted = async (name: string) => {
    const text = await (await h.ops('/metrics')).text();
    return text.split('\n').filter((line) => line.startsWith(name));
  };
  const before = await counted('tollgate_edge_request_seconds_count');
  await h.post('/v1/chat/completions', chat(), DRY);
  expect(await counted('tollgate_edge_dry_runs_total')).toEqual(
    expect.arrayContaining([expect.stringContaining('outcome="allow"')]),
  );
  expect(await counted('tollgate_edge_request_seconds_count')).toEqual(before);
  expect(h.log.some((line) => line.includes('"dry run"'))).toBe(true);
});

describe('a key that asks too often', () => {
  let few: Harness;
  beforeAll(async () => {
    few = await startHarness({ DRY_RUNS_PER_MINUTE: 2 });
  });
  afterAll(() => few.stop());

  test('is refused with 429 and a wait, in the caller’s format; made-up keys take no room', async () => {
    few.policy.decide = () => deny('invalid_api_key');
    for (let n = 0; n < 3; n += 1) {
      expect((await few.post('/v1/chat/completions', chat(), DRY)).status).toBe(401);
    }
    few.policy.decide = () => allow();
    for (let n = 0; n < 2; n += 1) {
      expect((await few.post('/v1/chat/completions', chat(), DRY)).status).toBe(200);
    }
    const asked = few.policy.dryRuns.length;
    const refused = await few.post('/v1/chat/completions', chat(), DRY);
    expect(refused.status).toBe(429);
    expect(await errorOf(refused)).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { resource: 'dry runs', limit: 2 },
    });
    expect(few.policy.dryRuns).toHaveLength(asked);
    // Its real requests are not affected.
    expect((await few.post('/v1/chat/completions', chat())).status).toBe(200);
  });

  test('and a policy that cannot say is 503', async () => {
    few.policy.dryRun = () => {
      throw new Error('away');
    };
    const response = await few.post('/v1/chat/completions', chat(), {
      ...DRY,
      authorization: 'Bearer tg_another-key-0123456789',
    });
    expect(response.status).toBe(503);
    await until(() => few.policy.heldNow() === 0, 'no hold');
  });
});
