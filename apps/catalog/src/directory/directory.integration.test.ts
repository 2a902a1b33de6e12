import { hashApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { ApiKey } from '../entities/api-key.entity';
import { Budget } from '../entities/budget.entity';
import { Model } from '../entities/model.entity';
import { Organisation } from '../entities/organisation.entity';
import { Price } from '../entities/price.entity';
import { ProviderApiKey } from '../entities/provider-api-key.entity';
import { Provider } from '../entities/provider.entity';
import { Team } from '../entities/team.entity';
import { User } from '../entities/user.entity';
import { appendOutbox } from '../outbox';
import type { Database } from '../schema';
import {
  createBudget,
  createQuota,
  createRateLimit,
  createTenant,
  scopesOf,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { publishConnection } from './connections';
import { getConnection } from './get-connection';
import { resolveKey } from './resolve-key';
import { resolveKeys } from './resolve-keys';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  tenant = await createTenant(database.orm);
});

const resolve = () => resolveKey(database.pool, tenant.keySha256);

test('a key comes with its subject, settings, models and prices', async () => {
  const { found, context } = await resolve();
  expect(found).toBe(true);
  expect(context).toMatchObject({
    subject: {
      organisationId: tenant.organisationId,
      teamId: tenant.teamId,
      userId: tenant.userId,
      apiKeyId: tenant.apiKeyId,
      apiKeyName: 'a key',
      apiKeyType: 'USER',
      organisationSlug: tenant.slug,
    },
    active: true,
    inactiveReason: '',
    expiresAtMs: 0,
    openCompatRoutes: false,
    tellUpstreamModel: false,
    outputBoundUnsent: false,
    traceContent: false,
    keepDecisions: 'REFUSED',
    trustedAttribution: false,
    tagKeys: [],
    refuseUnknownTags: false,
    responseCache: null,
    routingEnabled: false,
    limits: [],
    mcpServerIds: [],
  });
  expect(context?.models).toMatchObject([
    {
      modelId: tenant.modelId,
      name: 'model-one',
      type: 'chat',
      upstreamModel: 'upstream-model-one',
      providerId: tenant.providerId,
      providerType: 'PROVIDER_A',
      providerLabel: 'provider_a',
      upstreamFormat: 'openai',
      nativeResponses: false,
      providerActive: true,
      connectionVersion: 1,
      contextTokens: 128_000,
      defaultMaxOutputTokens: 1_024,
      maxToolCalls: 10,
      granted: true,
      prices: [
        {
          effectiveFromMs: Date.UTC(2020, 0, 1),
          steps: [
            { fromInputTokens: 0, input: '1000000000', output: '2000000000', cacheRead: '0' },
          ],
          perRequestNanoUsd: '0',
          perUnitNanoUsd: {},
        },
      ],
    },
    { modelId: tenant.otherModelId, granted: false },
  ]);
});

test('an unknown key is an answer, with the position it is of', async () => {
  await database.orm.transaction((tx) => appendOutbox(tx, { kind: 'TEST' }));
  const reply = await resolveKey(database.pool, hashApiKey('tg_nobody'));
  expect(reply).toMatchObject({ found: false, context: null });
  expect(Number(reply.outboxSeq)).toBeGreaterThan(0);
});

test('every kind of limit on every level that binds the key is there, and no other', async () => {
  const other = await createTenant(database.orm);
  await createBudget(database.orm, other);
  await createBudget(database.orm, tenant, { status: 'DISABLED' });
  const expected: string[] = [];
  for (const scope of scopesOf(tenant)) {
    expected.push(await createBudget(database.orm, tenant, scope));
    expected.push(await createQuota(database.orm, tenant, { ...scope, metric: 'ERRORS' }));
    const rates = { requestsPerMinute: 6, tokensPerMinute: 7n, concurrentRequests: 8 };
    const rate = await createRateLimit(database.orm, tenant, { ...scope, ...rates });
    expected.push(`${rate}:rpm`, `${rate}:tpm`, `${rate}:conc`);
  }
  const strangers: Partial<Budget>[] = [];
  const [teamId, userId] = [uuidv7(), uuidv7()];
  const { organisationId } = tenant;
  await database.orm.manager.insert(Team, { id: teamId, organisationId, name: 'Sales' });
  await database.orm.manager.insert(User, {
    id: userId,
    organisationId,
    email: `${userId}@example.test`,
    name: 'Bob',
    role: 'USER',
  });
  strangers.push({ scopeType: 'TEAM', scopeId: teamId }, { scopeType: 'USER', scopeId: userId });
  for (const scope of strangers) await createBudget(database.orm, tenant, scope);

  const limits = (await resolve()).context?.limits ?? [];
  expect(limits).toHaveLength(expected.length);
  expect(new Set(limits.map((limit) => limit.limitId))).toEqual(new Set(expected));
  const one = (kind: string) => limits.find((limit) => limit.kind === kind);
  expect(one('BUDGET')).toMatchObject({
    metric: 'COST',
    period: 'DAILY',
    limit: '1000000000',
    mode: 'HARD',
    clamp: false,
  });
  expect(one('QUOTA')).toMatchObject({
    metric: 'ERRORS',
    period: '',
    windowSeconds: 3_600,
    limit: '1000',
  });
  expect(one('RATE_REQUESTS')).toMatchObject({ metric: '', limit: '6', windowSeconds: 0 });
  expect(one('RATE_TOKENS')).toMatchObject({ limit: '7' });
  expect(one('RATE_CONCURRENT')).toMatchObject({ limit: '8' });
});

test('prices: the one in effect, one that has just ended, and those to come', async () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const instants = [inMinutes(-600), inMinutes(-60), inMinutes(-5), inMinutes(60)];
  const { organisationId, modelId } = tenant;
  for (const effectiveFrom of instants) {
    const steps = [
      {
        fromInputTokens: 0,
        input: '1',
        cacheRead: '1',
        cacheWrite5m: '1',
        cacheWrite1h: '1',
        audioInput: '1',
        output: '1',
        audioOutput: '1',
      },
    ];
    await database.orm.manager.insert(Price, {
      id: uuidv7(),
      organisationId,
      modelId,
      effectiveFrom,
      steps,
    });
  }
  const { context } = await resolve();
  const prices = context?.models?.find((model) => model.modelId === modelId)?.prices;
  expect(prices?.map((price) => price.effectiveFromMs)).toEqual(
    instants.slice(1).map((instant) => instant.getTime()),
  );
});

test.each([
  [
    'a revoked key',
    () => database.orm.manager.update(ApiKey, { id: tenant.apiKeyId }, { status: 'REVOKED' }),
  ],
  [
    'a suspended organisation',
    () =>
      database.orm.manager.update(
        Organisation,
        { id: tenant.organisationId },
        { status: 'SUSPENDED' },
      ),
  ],
  [
    'a disabled user',
    () => database.orm.manager.update(User, { id: tenant.userId }, { status: 'DISABLED' }),
  ],
  [
    'an archived team',
    () => database.orm.manager.update(Team, { id: tenant.teamId }, { status: 'ARCHIVED' }),
  ],
])('%s makes the key inactive', async (_, change) => {
  await change();
  const { context } = await resolve();
  expect(context).toMatchObject({ active: false });
  expect(context?.inactiveReason).not.toBe('');
});

test('a disabled model is not offered, a disabled provider is marked', async () => {
  await database.orm.manager.update(Model, { id: tenant.otherModelId }, { status: 'DISABLED' });
  await database.orm.manager.update(Provider, { id: tenant.providerId }, { status: 'DISABLED' });
  const { context } = await resolve();
  expect(context?.models).toMatchObject([{ modelId: tenant.modelId, providerActive: false }]);
});

test('each version of a connection stays as it was published', async () => {
  await database.orm.transaction(async (tx) => {
    await tx.update(Provider, { id: tenant.providerId }, { baseUrl: 'https://new.example/v1' });
    expect(await publishConnection(tx, tenant.providerId)).toBe(2);
  });
  const [first, second] = await Promise.all(
    [1, 2].map((version) => getConnection(database.pool, tenant.providerId, version)),
  );
  expect(first).toMatchObject({
    providerName: 'Upstream',
    providerType: 'PROVIDER_A',
    upstreamFormat: 'openai',
    baseUrl: 'http://127.0.0.1:9090/v1',
    apiVersion: '',
    headers: { 'x-team': 'research' },
    connectTimeoutMs: 5_000,
    secrets: [
      {
        apiKeyId: tenant.providerApiKeyId,
        keyId: 'k1',
        ciphertext: Buffer.from('sealed'),
        weight: 3,
      },
    ],
  });
  expect(second).toMatchObject({ baseUrl: 'https://new.example/v1', version: 2 });
  expect((await resolve()).context?.models?.[0]?.connectionVersion).toBe(2);
});

test('a revoked secret is given out by no version', async () => {
  await database.orm.manager.update(
    ProviderApiKey,
    { id: tenant.providerApiKeyId },
    { status: 'REVOKED' },
  );
  expect((await getConnection(database.pool, tenant.providerId, 1))?.secrets).toEqual([]);
});

test('a replaced secret serves the versions of before at the same address, and no others', async () => {
  const next = uuidv7();
  const { organisationId, providerId, providerApiKeyId } = tenant;
  const publish = () => database.orm.transaction((tx) => publishConnection(tx, providerId));
  await database.orm.manager.insert(ProviderApiKey, {
    id: next,
    organisationId,
    providerId,
    name: 'next',
    keyId: 'k1',
    nonce: Buffer.alloc(12, 3),
    ciphertext: Buffer.from('sealed anew'),
    tag: Buffer.alloc(16, 4),
    preview: 'sk-…5678',
  });
  await database.orm.manager.update(
    ProviderApiKey,
    { id: providerApiKeyId },
    { status: 'REVOKED' },
  );
  await publish();
  const secretsAt = async (version: number) =>
    (await getConnection(database.pool, providerId, version))?.secrets?.map((one) => one.apiKeyId);
  expect(await secretsAt(1)).toEqual([next]);
  await database.orm.manager.update(
    Provider,
    { id: providerId, organisationId },
    { baseUrl: 'https://elsewhere.example/v1' },
  );
  await publish();
  expect([await secretsAt(1), await secretsAt(2), await secretsAt(3)]).toEqual([
    [],
    [next],
    [next],
  ]);
});

test('a model says what it is called and how much it can answer', async () => {
  expect((await resolve()).context?.models?.[0]).toMatchObject({
    displayName: '',
    maxOutputTokens: 0,
  });
  await database.orm.manager.update(
    Model,
    { id: tenant.modelId },
    { displayName: 'Model One', maxOutputTokens: 16_384 },
  );
  expect((await resolve()).context?.models?.[0]).toMatchObject({
    displayName: 'Model One',
    maxOutputTokens: 16_384,
  });
});

test('a limit cannot name what belongs to another organisation, nor change what it binds', async () => {
  const other = await createTenant(database.orm);
  for (const scope of scopesOf(other)) {
    await expect(createBudget(database.orm, tenant, scope)).rejects.toThrow(
      'is not of organisation',
    );
  }
  const id = await createBudget(database.orm, tenant);
  await expect(
    database.orm.manager.update(Budget, { id }, { scopeType: 'TEAM', scopeId: tenant.teamId }),
  ).rejects.toThrow('never changes');
});

describe('several keys at once', () => {
  const newKey = async (of: Tenant, grants: readonly string[]): Promise<Buffer> => {
    const { organisationId } = of;
    const [apiKeyId, keySha256] = [uuidv7(), hashApiKey(`tg_${uuidv7()}`)];
    await database.orm.manager.insert(ApiKey, {
      id: apiKeyId,
      organisationId,
      name: 'another key',
      type: 'ORGANISATION',
      keySha256,
      preview: 'tg_…',
    });
    for (const modelId of grants) {
      await database.pool.query(
        `INSERT INTO api_key_model_access (api_key_id, model_id, organisation_id) VALUES ($1, $2, $3)`,
        [apiKeyId, modelId, organisationId],
      );
    }
    return keySha256;
  };
  const limitIds = (part: { limits?: { limitId?: string }[] } | null | undefined) =>
    new Set(part?.limits?.map(({ limitId }) => limitId));

  test('each is answered in its place, and each organisation is told once', async () => {
    const other = await createTenant(database.orm);
    const second = await newKey(tenant, [tenant.otherModelId]);
    const keys = [tenant.keySha256, hashApiKey('tg_nobody'), other.keySha256, second];
    const reply = await resolveKeys(database.pool, keys);
    expect(reply.keys.map(({ context }) => context?.subject?.organisationId)).toEqual([
      tenant.organisationId,
      undefined,
      other.organisationId,
      tenant.organisationId,
    ]);
    expect(reply.keys.map(({ found }) => found)).toEqual([true, false, true, true]);
    expect(reply.keys.map(({ grantedModelIds }) => grantedModelIds)).toEqual([
      [tenant.modelId],
      undefined,
      [other.modelId],
      [tenant.otherModelId],
    ]);
    expect(reply.organisations).toHaveLength(2);
    const modelsOf = (place: number) =>
      reply.organisations[reply.keys[place]?.organisation ?? 9]?.models?.map((one) => one.modelId);
    expect(modelsOf(0)).toEqual([tenant.modelId, tenant.otherModelId]);
    expect(modelsOf(2)).toEqual([other.modelId, other.otherModelId]);
    expect(modelsOf(3)).toEqual([tenant.modelId, tenant.otherModelId]);
  });

  test("limits of the organisation and its models are told once, a key's own with the key", async () => {
    const second = await newKey(tenant, []);
    const [ofOrganisation, ofTeam, ofUser, ofKey, ofModel] = await Promise.all(
      scopesOf(tenant).map((scope) => createBudget(database.orm, tenant, scope)),
    );
    const { keys, organisations } = await resolveKeys(database.pool, [tenant.keySha256, second]);
    expect(organisations).toHaveLength(1);
    expect(limitIds(organisations[0])).toEqual(new Set([ofOrganisation, ofModel]));
    expect(limitIds(keys[0]?.context)).toEqual(new Set([ofTeam, ofUser, ofKey]));
    expect(limitIds(keys[1]?.context)).toEqual(new Set());
  });

  test('what the caller has is not told again, until it changes', async () => {
    const first = await resolveKeys(database.pool, [tenant.keySha256]);
    const digests = first.organisations.map(({ digest }) => digest as Buffer);
    const again = await resolveKeys(database.pool, [tenant.keySha256], { knownDigests: digests });
    expect(again.organisations).toEqual([{ digest: digests[0], known: true }]);
    expect(again.keys).toEqual(first.keys);

    await database.orm.manager.update(Model, { id: tenant.modelId }, { contextTokens: 9 });
    const changed = await resolveKeys(database.pool, [tenant.keySha256], { knownDigests: digests });
    expect(changed.organisations[0]?.digest).not.toEqual(digests[0]);
    expect(changed.organisations[0]?.models?.[0]?.contextTokens).toBe(9);
  });

  test('a reply that is full has the first keys, one at least', async () => {
    const keys = [tenant.keySha256, await newKey(tenant, []), await newKey(tenant, [])];
    const { organisations } = await resolveKeys(database.pool, keys);
    const known = organisations.map(({ digest }) => digest as Buffer);
    expect(
      (await resolveKeys(database.pool, keys, { knownDigests: known, replyMax: 2_500 })).keys,
    ).toHaveLength(2);
    expect((await resolveKeys(database.pool, keys, { replyMax: 1 })).keys).toHaveLength(1);
  });

  test.each([
    ['no key', [], []],
    ['65 keys', Array.from({ length: 65 }, () => Buffer.alloc(32)), []],
    ['a key of 31 bytes', [Buffer.alloc(31)], []],
    ['65 digests', [Buffer.alloc(32)], Array.from({ length: 65 }, () => Buffer.alloc(16))],
  ])('%s cannot be asked', async (_, keys, digests) => {
    await expect(resolveKeys(database.pool, keys, { knownDigests: digests })).rejects.toThrow(
      RangeError,
    );
  });
});
