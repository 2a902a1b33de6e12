import type { rest } from '@tollgate/contracts';
import { Client } from 'pg';

import {
  billOf,
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  requestIdOf,
  startGate,
  startGateway,
  type Gate,
  type Gateway,
  type Tenant,
} from '.';

// Requests that are repeated at a second model, from the management interface to the books.

let gateway: Gateway;
let database: Client;
let gate: Gate;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gate = await startGate();
  gateway = await startGateway({
    edges: 2,
    env: { policy: { LEASE_MS: '15000', LEASE_GRACE_MS: '0', SWEEP_INTERVAL_MS: '100' } },
  });
  stop = gateway.stop;
  database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stop();
  await gate.stop();
});

interface Trial {
  readonly tenant: Tenant;
  readonly key: string;
  readonly experimentId: string;
  readonly shadowId: string;
}

/** An experiment with one arm and a shadow, which is sent for each request. */
async function trial(shadow: { dailyUsd?: string; held?: boolean } = {}): Promise<Trial> {
  const tenant = await newTenant(gateway);
  const over: { providerId?: string } = {};
  if (shadow.held === true) {
    const provider = await tenant.create('providers', {
      name: 'gate',
      type: 'PROVIDER_A',
      baseUrl: gate.url,
      apiKey: 'sk-gate',
    });
    over.providerId = provider.id;
  }
  const shadowId = await tenant.model('second', 'sim-second', over);
  const { key, id } = await tenant.key({ modelIds: [tenant.modelId, shadowId] });
  await tenant.create('budgets', {
    scope: { type: 'API_KEY', id },
    period: 'MONTHLY',
    limitUsd: '100',
  });
  const { id: experimentId } = await tenant.create('experiments', {
    name: 'trial',
    model: 'chat',
    arms: [{ name: 'control', modelId: tenant.modelId, share: 100 }],
    shadow: { modelId: shadowId, samplePercent: 100, dailyUsd: shadow.dailyUsd ?? '10' },
  });
  return { tenant, key, experimentId, shadowId };
}

interface Row {
  readonly id: string;
  readonly mode: string;
  readonly shadow_of: string | null;
  readonly cost: string;
  readonly team: boolean;
  readonly outcome: string | null;
}

async function recordsOf({ tenant }: Trial): Promise<{ own: Row[]; shadows: Row[] }> {
  const { rows } = await database.query<Row>(
    `select id, mode, shadow_of, cost_nano_usd::text as cost, outcome,
       team_id is null and user_id is null as team
     from usage_record where organisation_id = $1 order by id`,
    [tenant.id],
  );
  return {
    own: rows.filter((row) => row.shadow_of === null),
    shadows: rows.filter((row) => row.shadow_of !== null),
  };
}

const ask = ({ key }: Trial, body: object = {}, edge = 0) =>
  chat(gateway.edgeUrl(edge), key, { max_tokens: 20, ...body });

async function comparisonOf({ tenant, experimentId }: Trial): Promise<rest.ExperimentComparison> {
  const found = await gateway.rest.get(`${tenant.base}/experiments/${experimentId}/comparison`);
  return expectStatus(found, 200).data as rest.ExperimentComparison;
}

/** What limits of the organisation's budgets have spent, by the management interface. */
async function spentByKey({ tenant }: Trial): Promise<string> {
  const found = await gateway.rest.get(`${tenant.base}/budgets`);
  const { data } = expectStatus(found, 200).data as { data: { spentUsd: string }[] };
  expect(data).toHaveLength(1);
  return data[0]?.spentUsd ?? '';
}

test('the books have the bill of both models, and the key pays for its own', async () => {
  const made = await trial();
  for (let at = 0; at < 4; at += 1) {
    const answer = await ask(made, at < 2 ? {} : { stream: true });
    expect(answer.status).toBe(200);
    // Until the experiment is known there is no shadow.
    if (at === 0) await eventually('the experiment runs', () => isShadowed(made));
  }
  const { own, shadows } = await eventually('all records', async () => {
    const found = await recordsOf(made);
    const bill = await billOf(gateway, made.tenant);
    return found.own.length + found.shadows.length === bill.length && found;
  });
  expect(shadows.length).toBeGreaterThanOrEqual(3);
  const ids = new Set(own.map(({ id }) => id));
  for (const { shadow_of: of, team } of shadows) {
    expect(ids.has(of ?? '')).toBe(true);
    expect(team).toBe(true);
  }
  const bill = await billOf(gateway, made.tenant);
  expect(sum([...own, ...shadows])).toBe(bill.reduce((all, { nanoUsd }) => all + nanoUsd, 0n));
  expect(nanoOf(await spentByKey(made))).toBe(sum(own));
  const { shadow } = await comparisonOf(made);
  expect(shadow).toMatchObject({ model: 'second', requests: shadows.length, errors: 0 });
  expect(nanoOf(shadow?.costUsd ?? '')).toBe(sum(shadows));
  expect(nanoOf(shadow?.spentTodayUsd ?? '')).toBe(sum(shadows));
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
});

/** Sends requests until one of them has a shadow. */
async function isShadowed(made: Trial): Promise<boolean> {
  await ask(made);
  return (await recordsOf(made)).shadows.length > 0;
}

function nanoOf(usd: string): bigint {
  const [whole = '0', part = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, '0'));
}

test('a spent budget ends shadows, visibly, and clients go on', async () => {
  // Less than the hold of one shadow.
  const made = await trial({ dailyUsd: '0.000001' });
  const refused = await eventually('a shadow is refused', async () => {
    expect((await ask(made)).status).toBe(200);
    const { shadow } = await comparisonOf(made);
    return shadow?.skipped.find(({ code }) => code === 'budget_exceeded');
  });
  expect(refused.requests).toBeGreaterThan(0);
  expect((await recordsOf(made)).shadows).toEqual([]);
  const keys = await gateway.rest.get(`${made.tenant.base}/apikeys`);
  const { data } = expectStatus(keys, 200).data as { data: { id: string }[] };
  const own = await gateway.rest.get(`${made.tenant.base}/apikeys/${data[0]?.id ?? ''}/refusals`);
  expect(expectStatus(own, 200).data).toMatchObject({ data: [] });
});

const sum = (rows: readonly Row[]): bigint =>
  rows.reduce((all, { cost }) => all + BigInt(cost), 0n);

test('requests that store something at the provider are not repeated', async () => {
  const made = await trial();
  await eventually('the experiment runs', () => isShadowed(made));
  const answers = [
    await ask(made, { store: true }),
    await ask(made, { tools: [{ type: 'web_search_preview' }] }),
  ];
  // The shadow of a later request is booked, so those of the earlier ones would be too.
  const before = (await recordsOf(made)).shadows.length;
  await eventually('a later request is repeated', async () => {
    await ask(made);
    return (await recordsOf(made)).shadows.length > before;
  });
  const { own } = await eventually('their records', async () => {
    const found = await recordsOf(made);
    const ids = new Set(found.own.map(({ id }) => id));
    const served = answers.filter(({ status }) => status === 200);
    return served.every((answer) => ids.has(requestIdOf(answer))) && found;
  });
  const { shadows } = await recordsOf(made);
  const plain = own.filter(({ id }) => answers.every((answer) => requestIdOf(answer) !== id));
  expect(shadows.every(({ shadow_of: of }) => plain.some(({ id }) => id === of))).toBe(true);
});

test('the client has its answer while the second model is silent; a killed edge is charged as held', async () => {
  const made = await trial({ held: true });
  const before = gate.arrivals();
  // The gate answers nobody: each answer that comes was not waited for.
  await eventually('a shadow waits', async () => {
    expect((await ask(made, {}, 1)).status).toBe(200);
    return gate.arrivals() > before;
  });
  expect((await recordsOf(made)).shadows).toEqual([]);
  const edge = gateway.edges[1];
  edge?.process().signal('SIGKILL');
  await edge?.process().ended;
  const { shadows } = await eventually('the charge of the hold', async () => {
    const found = await recordsOf(made);
    return found.shadows.length >= gate.arrivals() - before && found;
  });
  expect(new Set(shadows.map(({ mode }) => mode))).toEqual(new Set(['ABANDONED']));
  await eventually('the key has paid for its own requests alone', async () => {
    const { own } = await recordsOf(made);
    return own.length > 0 && nanoOf(await spentByKey(made)) === sum(own);
  });
  expect((await comparisonOf(made)).shadow).toMatchObject({ requests: shadows.length });
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
  await edge?.restart();
});

test('the end of an edge stops its shadows, and they are settled', async () => {
  const made = await trial({ held: true });
  const before = gate.arrivals();
  await eventually('a shadow waits', async () => {
    expect((await ask(made, {}, 1)).status).toBe(200);
    return gate.arrivals() > before;
  });
  const edge = gateway.edges[1];
  await edge?.process().stop('SIGTERM');
  const { shadows } = await eventually('their records', async () => {
    const found = await recordsOf(made);
    return found.shadows.length >= gate.arrivals() - before && found;
  });
  expect(new Set(shadows.map(({ mode, outcome }) => `${mode} ${String(outcome)}`))).toEqual(
    new Set(['SETTLED CLIENT_CLOSED']),
  );
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
  await edge?.restart();
});
