import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  createPolicyClient,
  hashApiKey,
  newRequestId,
  type AuthorizeRequest,
  type PolicyApi,
} from '@tollgate/contracts/node';
import { workspaceRoot } from '@tollgate/stack';
import axios from 'axios';
import { Client } from 'pg';

import {
  checkBooks,
  eventually,
  newMember,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';
import { freePolicyPorts } from './gateway/fleet';
import { PATIENT } from './gateway/gateway';

// Internal services beside the edge: they validate keys, and hold and settle their own work, with
// the typed client and with the proto alone. The books have exactly the settled amounts.

const DEADLINE_MS = 55_000;
const EXPIRES_AT_MS = Date.now() + 365 * 86_400_000;

let gateway: Gateway;
let database: Client;
let policy: PolicyApi;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  // Leases are long, so no hold expires during a test, even on a slow machine.
  gateway = await startGateway({ simulator: false, env: { policy: { LEASE_MS: '600000' } } });
  policy = open('internal');
  database = new Client({ connectionString: gateway.databaseUrl });
  stop = async () => {
    policy.close();
    await database.end();
    await gateway.stop();
  };
  await database.connect();
});
afterAll(() => stop());

const token = (caller: string): string => gateway.state.secrets.tokens[caller] ?? '';
const address = (): string => gateway.stack.layout.policyAddresses[0] ?? '';

function open(caller: string, own: string = token(caller)): PolicyApi {
  return createPolicyClient({ address: address(), token: own, caller, deadlineMs: DEADLINE_MS });
}

/** Booked requests of a tenant, in the order in which they were authorised. */
async function records(tenant: Tenant) {
  const { rows } = await database.query<{ id: string; mode: string; cost: string; route: string }>(
    `select id, mode, cost_nano_usd cost, route from usage_record
      where organisation_id = $1 order by id`,
    [tenant.id],
  );
  return rows;
}

interface Setting {
  readonly tenant: Tenant;
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly userId: string;
}

/** A tenant whose key belongs to a user of a team, so that limits of every level can bind it. */
async function setting(): Promise<Setting> {
  const tenant = await newTenant(gateway);
  const { teamId, userId } = await newMember(tenant);
  const { id, key } = await tenant.key({
    name: 'Nightly report',
    type: 'USER',
    userId,
    teamId,
    expiresAt: new Date(EXPIRES_AT_MS).toISOString(),
  });
  return { tenant, key, keyId: id, teamId, userId };
}

const HARD = { mode: 'HARD' };

/** A budget, a quota and the three rates on each of the five levels. */
async function limitEverything({ tenant, keyId, teamId, userId }: Setting): Promise<string[]> {
  const scopes = [
    { type: 'ORGANISATION', id: tenant.id },
    { type: 'TEAM', id: teamId },
    { type: 'USER', id: userId },
    { type: 'API_KEY', id: keyId },
    { type: 'MODEL', id: tenant.modelId },
  ];
  const ids: string[] = [];
  for (const scope of scopes) {
    const budget = { scope, limitUsd: '1.00', period: 'MONTHLY', ...HARD };
    ids.push((await tenant.create('budgets', budget)).id);
    const quota = { scope, metric: 'TOKENS', limit: 10_000, period: 'DAILY', ...HARD };
    ids.push((await tenant.create('quotas', quota)).id);
    const rates = { requestsPerMinute: 60, tokensPerMinute: 50_000, concurrentRequests: 5 };
    const { id } = await tenant.create('rate-limits', { scope, ...rates });
    ids.push(`${id}:rpm`, `${id}:tpm`, `${id}:conc`);
  }
  return ids;
}

function validateOverHttp(key: string) {
  return axios.post(
    `${gateway.edgeUrl()}/v1/keys/validate`,
    { key },
    { validateStatus: () => true, timeout: 60_000 },
  );
}

const ask = (key: string, over: AuthorizeRequest = {}): AuthorizeRequest => ({
  requestId: newRequestId(),
  keySha256: hashApiKey(key),
  model: 'chat',
  operation: 'chat',
  route: 'nightly-report',
  inputTokensEstimate: 200,
  maxOutputTokens: 100,
  ...over,
});

/** 200 × $2.50 and 100 × $10.00 per million tokens. */
const HELD = '1500000';

test('validating a key returns its owner, its models and its remaining limits, by gRPC and by HTTP', async () => {
  const own = await setting();
  const { tenant, key, keyId, teamId, userId } = own;
  const limitIds = await limitEverything(own);
  const { allow } = await policy.authorize(ask(key));
  expect(allow?.heldNanoUsd).toBe(HELD);

  const reply = await policy.validateKey({ keySha256: hashApiKey(key) });
  expect(reply).toMatchObject({
    valid: true,
    expiresAtMs: EXPIRES_AT_MS,
    subject: {
      organisationId: tenant.id,
      organisationSlug: tenant.slug,
      teamId,
      userId,
      apiKeyId: keyId,
      apiKeyName: 'Nightly report',
      apiKeyType: 'USER',
    },
    models: [{ id: tenant.modelId, name: 'chat', type: 'chat', provider: 'provider_a' }],
  });
  expect(reply.limits.map(({ limitId }) => limitId).sort()).toEqual(limitIds.toSorted());
  const budgets = reply.limits.filter(({ kind }) => kind === 'BUDGET');
  expect(budgets.map(({ held, remaining }) => [held, remaining])).toEqual(
    Array.from({ length: 5 }, () => [HELD, '998500000']),
  );

  const answer = await validateOverHttp(key);
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({
    valid: true,
    apiKey: {
      id: keyId,
      name: 'Nightly report',
      type: 'USER',
      expiresAt: new Date(EXPIRES_AT_MS).toISOString(),
    },
    organisation: { id: tenant.id, slug: tenant.slug },
    teamId,
    userId,
    models: [{ id: tenant.modelId, name: 'chat', type: 'chat', provider: 'provider_a' }],
  });
  const { limits } = answer.data as { limits: { id: string; kind: string; metric: string }[] };
  expect(limits.map(({ id }) => id).sort()).toEqual(limitIds.toSorted());
  expect(limits.filter(({ kind }) => kind === 'BUDGET')).toMatchObject(
    budgets.map(() => ({
      period: 'MONTHLY',
      limit: '1.00',
      settled: '0.00',
      held: '0.0015',
      remaining: '0.9985',
    })),
  );
  expect(limits.filter(({ metric }) => metric === 'TOKENS')).toMatchObject(
    budgets.map(() => ({ limit: 10_000, settled: 0, held: 300, remaining: 9_700 })),
  );
  expect(limits.filter(({ kind }) => kind === 'RATE_CONCURRENT')).toMatchObject(
    budgets.map(() => ({ limit: 5, held: 1, remaining: 4, resetsAt: null })),
  );
});

test('validating a key counts towards no limit, and an unknown key is 401', async () => {
  const { tenant, key, keyId } = await setting();
  const scope = { type: 'API_KEY', id: keyId };
  await tenant.create('rate-limits', { scope, requestsPerMinute: 1, concurrentRequests: 1 });
  for (let n = 0; n < 3; n += 1) expect((await validateOverHttp(key)).status).toBe(200);
  expect((await policy.authorize(ask(key))).allow).toBeTruthy();

  const unknown = await validateOverHttp('tg_nobody');
  const { error } = unknown.data as { error: { code: string } };
  expect([unknown.status, error.code]).toEqual([401, 'invalid_api_key']);
  const { valid, denial } = await policy.validateKey({ keySha256: hashApiKey('tg_nobody') });
  expect([valid, denial?.code]).toEqual([false, 'invalid_api_key']);
});

test('holds and settles its own work, idempotently', async () => {
  const { tenant, key } = await setting();
  const request = ask(key);
  const { requestId = '' } = request;
  const first = await policy.authorize(request);
  const again = await policy.authorize(request);
  expect(again.allow?.holdToken).toEqual(first.allow?.holdToken);

  const extended = await policy.extend({
    requestId,
    holdToken: first.allow?.holdToken ?? Buffer.alloc(0),
    modelId: tenant.modelId,
    addOutputTokens: 50,
  });
  expect(extended.granted).toBe(true);
  const settle = {
    requestId,
    holdToken: extended.holdToken,
    outcome: 'COMPLETED',
    usage: { input: 200, output: 150 },
    usageQuality: 'EXACT',
    costNanoUsd: '2000000',
    httpStatus: 200,
  };
  const done = await policy.settle(settle);
  expect(done).toMatchObject({ duplicate: false });
  expect(await policy.settle(settle)).toMatchObject({ duplicate: true, seq: done.seq });

  const other = ask(key);
  const given = await policy.authorize(other);
  const cancel = { holdToken: given.allow?.holdToken ?? Buffer.alloc(0), cancelled: true };
  // A token is valid only for the request that it was issued for.
  await expect(policy.settle({ ...cancel, requestId })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    retryable: false,
  });
  const back = await policy.settle({ ...cancel, requestId: other.requestId ?? '' });
  expect(back).toMatchObject({ duplicate: false, seq: 0 });

  await eventually('it is in the books', async () => (await records(tenant)).length > 0);
  expect(await records(tenant)).toEqual([
    { id: requestId, mode: 'SETTLED', cost: '2000000', route: 'nightly-report' },
  ]);
});

test('every call needs a service token, and each service may call only its methods', async () => {
  const { key } = await setting();
  const stranger = open('internal', 'token-of-nobody-0123');
  await expect(stranger.health()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  const ops = open('ops');
  await expect(ops.authorize(ask(key))).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  expect((await policy.health()).serving).toBe(true);
  stranger.close();
  ops.close();
});

test('every internal service has its own name and the rights of an internal service', async () => {
  const { key } = await setting();
  const own = { 'nightly-report': 'nightly-token-0123456789', search: 'search-token-0123456789' };
  const tokens = Object.entries({ ...gateway.state.secrets.tokens, ...own });
  const [ports] = await freePolicyPorts(1);
  if (ports === undefined) throw new Error('no ports');
  const env = { INTERNAL_TOKENS: tokens.map(([name, word]) => `${name}=${word}`).join(',') };
  const started = await gateway.stack.start('policy', {
    as: 'policy-named',
    ports: { ...ports },
    env: { ...PATIENT['policy'], ...env },
  });
  const named = Object.values(own).map((word) =>
    createPolicyClient({
      address: `127.0.0.1:${String(ports.policyGrpc)}`,
      token: word,
      deadlineMs: DEADLINE_MS,
    }),
  );
  try {
    for (const client of named) {
      const request = ask(key);
      const { allow } = await client.authorize(request);
      const holdToken = allow?.holdToken ?? Buffer.alloc(0);
      const back = { requestId: request.requestId ?? '', holdToken, cancelled: true };
      expect(await client.settle(back)).toMatchObject({ duplicate: false });
    }
    const url = `http://127.0.0.1:${String(ports.policyHttp)}/metrics`;
    const { data } = await axios.get<string>(url);
    const authorize = '/tollgate.policy.v1.PolicyService/Authorize';
    for (const name of Object.keys(own)) {
      expect(data).toMatch(new RegExp(`method="${authorize}",caller="${name}",code="OK"`));
    }
  } finally {
    for (const client of named) client.close();
    await started.process().stop();
  }
});

const EXAMPLES = join(workspaceRoot(), 'packages/e2e/examples');

interface Run {
  readonly code: number;
  readonly lines: string[];
  readonly errors: string;
}

async function run(file: string, env: Record<string, string>): Promise<Run> {
  const child = spawn(process.execPath, [file], {
    cwd: dirname(file),
    env: {
      PATH: process.env['PATH'],
      POLICY_ADDRESS: address(),
      POLICY_TOKEN: token('internal'),
      POLICY_DEADLINE_MS: String(DEADLINE_MS),
      GATEWAY_MODEL: 'chat',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? -1));
  });
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, lines: out.trimEnd().split('\n'), errors };
}

/** A folder as in another repository: the file, the proto, and two packages of gRPC. */
async function elsewhere(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'elsewhere-'));
  const packages = join(folder, 'node_modules', '@grpc');
  await mkdir(packages, { recursive: true });
  for (const name of ['grpc-js', 'proto-loader']) {
    await symlink(join(EXAMPLES, '../node_modules/@grpc', name), join(packages, name));
  }
  const file = join(folder, 'from-proto.mjs');
  await cp(join(EXAMPLES, 'from-proto.mjs'), file);
  const proto = join(workspaceRoot(), 'protos/tollgate/policy/v1/policy.proto');
  await cp(proto, join(folder, 'policy.proto'));
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

describe.each([
  ['with the typed client', undefined],
  ['from the proto and a service token alone', elsewhere],
])('the example %s', (_, place) => {
  let file = join(EXAMPLES, 'internal-service.mts');
  let remove = async (): Promise<void> => undefined;
  beforeAll(async () => {
    if (place !== undefined) ({ file, remove } = await place());
  });
  afterAll(() => remove());

  test('settles its usage, and the books have exactly that', async () => {
    const { tenant, key } = await setting();
    const scope = { type: 'ORGANISATION', id: tenant.id };
    const budget = { scope, limitUsd: '1.00', period: 'MONTHLY', ...HARD };
    const { id } = await tenant.create('budgets', budget);
    const { code, lines, errors } = await run(file, { GATEWAY_KEY: key });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const [record] = await eventually('it is in the books', async () => {
      const booked = await records(tenant);
      return booked.length > 0 && booked;
    });
    // 120 × $2.50 and 40 × $10.00 per million tokens.
    expect(record).toMatchObject({ mode: 'SETTLED', cost: '700000', route: 'nightly-report' });
    expect(lines).toEqual([
      `key "Nightly report" of ${tenant.slug}`,
      'may use chat (provider_a)',
      'BUDGET of ORGANISATION: $1.00 of $1.00 left',
      `holding $0.0015 for ${String(record?.id)}`,
      expect.stringMatching(/^settled \$0\.0007 as number \d+ of its ledger$/),
      'BUDGET of ORGANISATION: $0.9993 of $1.00 left',
    ]);
    const { data } = await gateway.rest.get(`${tenant.base}/budgets/${id}`);
    expect(data).toMatchObject({ spentUsd: '0.0007', heldUsd: '0.00' });
    expect(await records(tenant)).toHaveLength(1);
    expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
  });

  test('handles a refusal by a budget and by a wrong key without failing', async () => {
    const { tenant, key } = await setting();
    const scope = { type: 'ORGANISATION', id: tenant.id };
    const budget = { scope, limitUsd: '0.000001', period: 'MONTHLY', ...HARD };
    await tenant.create('budgets', budget);
    const poor = await run(file, { GATEWAY_KEY: key });
    expect([poor.code, poor.lines.at(-1)]).toEqual([2, 'refused: budget_exceeded']);
    const wrong = await run(file, { GATEWAY_KEY: 'tg_nobody' });
    expect([wrong.code, wrong.lines]).toEqual([2, ['refused: invalid_api_key']]);
    expect(await records(tenant)).toEqual([]);
  });

  test('reports which service did not answer, without the key', async () => {
    const { key } = await setting();
    const shut = await run(file, { GATEWAY_KEY: key, POLICY_TOKEN: 'token-of-nobody-0123' });
    expect([shut.code, shut.lines, shut.errors]).toEqual([
      1,
      [''],
      expect.stringContaining('UNAUTHENTICATED'),
    ]);
    expect(shut.errors).not.toContain(key);
  });
});
