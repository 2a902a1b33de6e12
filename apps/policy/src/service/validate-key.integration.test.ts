import { windowAt } from '@tollgate/contracts';
import { createPolicyClient, type LimitState, type PolicyApi } from '@tollgate/contracts/node';

import {
  alias,
  ask,
  context,
  limit,
  model,
  retirement,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';

const CALL = { deadlineMs: 15_000 };

let rig: Rig;
let client: PolicyApi;
beforeAll(async () => {
  // No hold expires during a test, however slow the machine is.
  rig = await startRig({ LEASE_MS: '600000' });
  client = createPolicyClient({
    address: `127.0.0.1:${String(rig.policy.grpcPort)}`,
    deadlineMs: 15_000,
  });
});
afterAll(async () => {
  client.close();
  await rig.stop();
});

const validate = (keySha256: Buffer) => client.validateKey({ keySha256 }, CALL);

// Every key has its own organisation, so that no limit counts another key's usage.
let keys = 0;
function key(rows: Parameters<typeof limit>[0][], over: Parameters<typeof context>[0] = {}) {
  keys += 1;
  const own = (id: string): string => `${id}/${String(keys)}`;
  const keySha256 = sha256(`key ${String(keys)}`);
  const subject = {
    ...SUBJECT,
    organisationId: own(SUBJECT.organisationId),
    teamId: own(SUBJECT.teamId),
    userId: own(SUBJECT.userId),
    apiKeyId: own(SUBJECT.apiKeyId),
  };
  const models = [
    model({ modelId: own('model-1') }),
    model({ modelId: own('model-2'), name: 'secret', granted: false }),
  ];
  const limits = rows.map((row = {}, index) =>
    limit({
      ...row,
      limitId: own(row.limitId ?? `limit-${String(index)}`),
      scopeId: own(row.scopeId ?? SUBJECT.organisationId),
    }),
  );
  rig.catalog.putKey(keySha256, context({ subject, models, limits, ...over }));
  return { keySha256, subject, limits, own };
}

const SCOPES = {
  ORGANISATION: SUBJECT.organisationId,
  TEAM: SUBJECT.teamId,
  USER: SUBJECT.userId,
  API_KEY: SUBJECT.apiKeyId,
  MODEL: 'model-1',
};

// A window that does not end while a test runs.
const DECADE = { period: '', windowSeconds: 315_360_000 };
const RATE = { metric: '', period: '', limit: '1000' };

// What a request of 100 input and at most 50 output tokens holds of each limit, and leaves.
const KINDS: [string, Parameters<typeof limit>[0], held: string, remaining: string][] = [
  ['budget', { kind: 'BUDGET', period: 'QUARTERLY', limit: '1000000' }, '200000', '800000'],
  ['quota of money', { kind: 'QUOTA', ...DECADE, limit: '150000' }, '200000', '0'],
  ['token quota', { kind: 'QUOTA', metric: 'TOKENS', ...DECADE, limit: '500' }, '150', '350'],
  ['error quota', { kind: 'QUOTA', metric: 'ERRORS', ...DECADE, limit: '5' }, '0', '5'],
  ['concurrency', { ...RATE, kind: 'RATE_CONCURRENT' }, '1', '999'],
];

describe.each(Object.entries(SCOPES))('of every limit of the %s', (scopeType, scopeId) => {
  const scope = { scopeType, scopeId, mode: 'SOFT' };

  test.each(KINDS)('a key is told what is left: %s', async (_, row, held, remaining) => {
    const { keySha256, limits, own } = key([{ ...row, ...scope }]);
    const request = ask({ keySha256 });
    const { allow } = await rig.authorize(request);
    const during = await validate(keySha256);
    const { clamp: _clamp, ...planned } = limits[0] ?? limit();
    expect(during.limits).toEqual([
      {
        ...planned,
        settled: '0',
        held,
        remaining,
        resetsAtMs: expect.any(Number),
        sharedId: 0,
      },
    ]);
    expect(during.limits[0]?.scopeId).toBe(own(scopeId));

    await rig.settle(settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0)));
    const [after] = (await validate(keySha256)).limits;
    expect(after?.held).toBe('0');
    expect(after?.remaining).toBe(leftOf(after));
  });
});

test('aliases follow the models, as their targets are; what is past its sunset is left out', async () => {
  const past = retirement({ sunsetAtMs: Date.now() - 1_000 });
  const later = retirement({ deprecatedAtMs: 1_000, sunsetAtMs: Date.now() + 3_600_000 });
  const models = [
    model({ modelId: 'a', name: 'a', retirement: later }),
    model({ modelId: 'b', name: 'b', retirement: past, contextTokens: 7 }),
    model({ modelId: 'c', name: 'c', contextTokens: 5 }),
    model({ modelId: 'd', name: 'd', granted: false }),
  ];
  const of = (name: string, modelId: string, changes: Parameters<typeof alias>[0] = {}) =>
    alias({ aliasId: `of ${name}`, name, targets: [{ modelId, effectiveFromMs: 0 }], ...changes });
  const aliases = [
    of('claude-c', 'c', { displayName: 'C', createdAtMs: 5 }),
    of('claude-b', 'b'),
    of('claude-d', 'd'),
    of('claude-past', 'c', { retirement: past }),
    of('claude-later', 'c', { targets: [{ modelId: 'c', effectiveFromMs: Date.now() + 9e6 }] }),
  ];
  const { keySha256 } = key([], { models, aliases });
  const listed = (await validate(keySha256)).models;
  expect(listed.map(({ name }) => name)).toEqual(['a', 'c', 'claude-c']);
  expect(listed[0]?.retirement).toMatchObject({ name: 'a', deprecatedAtMs: 1_000 });
  expect(listed[2]).toMatchObject({
    id: 'of claude-c',
    displayName: 'C',
    createdAtMs: 5,
    contextTokens: 5,
    retirement: null,
  });
});

function leftOf(state: LimitState | undefined): string {
  const left =
    BigInt(state?.limit ?? '') - BigInt(state?.settled ?? '') - BigInt(state?.held ?? '');
  return left > 0n ? left.toString() : '0';
}

test('what was used is told when it is settled, and when the window ends', async () => {
  const { keySha256 } = key([{ ...DECADE, kind: 'QUOTA', metric: 'TOKENS', limit: '500' }]);
  const request = ask({ keySha256 });
  const { allow } = await rig.authorize(request);
  await rig.settle(settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0)));
  const { endMs } = windowAt({ windowSeconds: DECADE.windowSeconds }, Date.now(), 'UTC');
  expect((await validate(keySha256)).limits).toMatchObject([
    { settled: '120', held: '0', remaining: '380', resetsAtMs: endMs },
  ]);
});

test('rates are told as they are in this minute', async () => {
  const rows = [
    { ...RATE, kind: 'RATE_REQUESTS' },
    { ...RATE, kind: 'RATE_TOKENS' },
  ];
  const { keySha256 } = key(rows);
  await rig.authorize(ask({ keySha256 }));
  const { limits } = await validate(keySha256);
  expect(limits.map(({ kind }) => kind).sort()).toEqual(['RATE_REQUESTS', 'RATE_TOKENS']);
  for (const state of limits) {
    // The minute may be over on a slow machine.
    const counted = state.kind === 'RATE_REQUESTS' ? '1' : '150';
    expect(['0', counted]).toContain(state.settled);
    expect(state.remaining).toBe(leftOf(state));
  }
});

test('being asked counts for nothing and holds nothing', async () => {
  const rows = [
    { ...RATE, kind: 'RATE_REQUESTS', limit: '1' },
    { ...RATE, kind: 'RATE_CONCURRENT', limit: '1' },
    { ...DECADE, kind: 'QUOTA', metric: 'REQUESTS', limit: '1' },
  ];
  const { keySha256 } = key(rows);
  for (let n = 0; n < 3; n += 1) {
    const { limits } = await validate(keySha256);
    expect(limits.map(({ settled, held, remaining }) => [settled, held, remaining])).toEqual([
      ['0', '0', '1'],
      ['0', '0', '1'],
      ['0', '0', '1'],
    ]);
  }
  const { allow } = await rig.authorize(ask({ keySha256 }));
  expect(allow).toBeTruthy();
});

test('only what is granted is told, with the limits of that', async () => {
  const expiresAtMs = Date.UTC(2999, 0, 1);
  const { keySha256, subject, own } = key(
    [
      { limitId: 'of-granted', scopeType: 'MODEL', scopeId: 'model-1' },
      { limitId: 'of-other', scopeType: 'MODEL', scopeId: 'model-2' },
    ],
    { expiresAtMs, mcpServerIds: ['mcp-1'] },
  );
  const reply = await validate(keySha256);
  expect(reply).toMatchObject({ valid: true, denial: null, subject, expiresAtMs });
  expect(reply.mcpServerIds).toEqual(['mcp-1']);
  expect(reply.models).toMatchObject([
    { id: own('model-1'), name: 'small', type: 'chat', provider: 'provider_a' },
  ]);
  expect(reply.limits.map(({ limitId }) => limitId)).toEqual([own('of-granted')]);
});

test.each([
  [false, ['unified,openai,anthropic,gemini', 'gemini', 'none', 'none']],
  [true, ['unified,openai,anthropic,gemini,vllm', 'openai,gemini,vllm', 'openai', 'none']],
])('each model says which routes can use it, opened ones: %s', async (openCompatRoutes, told) => {
  const kinds = [
    { type: 'chat' },
    { type: 'embeddings', providerType: 'PROVIDER_C', upstreamFormat: 'gemini' },
    { type: 'image', providerType: 'CUSTOM' },
    { type: 'moderation', providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' },
  ];
  const models = kinds.map((kind, at) =>
    model({ ...kind, modelId: `kind-${String(at)}/${String(keys)}`, name: `kind-${String(at)}` }),
  );
  const { keySha256 } = key([], { openCompatRoutes, models });
  const reply = await validate(keySha256);
  expect(reply.models?.map(({ families }) => families)).toEqual(told);
});

test.each([
  ['expired', { expiresAtMs: 1 }],
  ['revoked', { active: false, inactiveReason: 'REVOKED' }],
])('a key that is %s is not valid, and nothing is told of what it could do', async (_, over) => {
  const { keySha256, subject } = key([{}], over);
  expect(await validate(keySha256)).toMatchObject({
    valid: false,
    denial: { code: 'invalid_api_key', subject },
    subject: null,
    models: [],
    limits: [],
  });
});

test('a hash that is none is the caller’s mistake', async () => {
  await expect(validate(Buffer.alloc(31))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'key_sha256: must be 32 bytes',
    dependency: undefined,
  });
});

describe('a dependency that is away never makes a key invalid', () => {
  test('Redis: the figures cannot be told', async () => {
    const { keySha256 } = key([{}]);
    expect((await validate(keySha256)).valid).toBe(true);
    rig.redis.kill('SIGSTOP');
    try {
      await expect(validate(keySha256)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        dependency: 'redis',
        retryable: true,
      });
    } finally {
      rig.redis.kill('SIGCONT');
    }
    await eventually('they can be told again', () => validate(keySha256));
  });

  test('the catalog: an unknown key fails, a known one has its limits without figures', async () => {
    const known = key([{ limitId: 'cold' }]);
    // The key gets cached but its counters do not: no limit is read for an unknown model.
    const { denial } = await rig.authorize(ask({ keySha256: known.keySha256, model: 'nope' }));
    expect(denial?.code).toBe('model_not_found');
    await rig.catalog.stop();
    await expect(validate(sha256('nobody has seen this key'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      dependency: 'catalog',
    });
    const { valid, limits } = await validate(known.keySha256);
    expect([valid, limits]).toMatchObject([
      true,
      [{ limitId: known.own('cold'), limit: '1000000000', settled: '', held: '', remaining: '' }],
    ]);
  });
});
