import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
} from '.';

// The edge's metrics name tenants and limits that are nearly spent, and agree with the records.

/** What is read of a usage record. */
interface Counted {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: string;
}

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ policies: 2 });
  stop = gateway.stop;
});
afterAll(() => stop());

/** The samples of a metric whose labels have this text, added up. */
async function sumOf(metric: string, label: string): Promise<number> {
  const text = await (await fetch(`${gateway.opsUrl()}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

test('requests, tokens and cost of an organisation are those of its records', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const own = `organisation="${tenant.id}"`;
  let tokens = 0;
  let costUsd = 0;
  for (let each = 0; each < 3; each += 1) {
    const answer = await chat(gateway.edgeUrl(), key);
    const record = (await recordOf(gateway, tenant, requestIdOf(answer))) as Counted;
    tokens += record.tokensIn + record.tokensOut;
    costUsd += Number(record.costUsd);
  }
  expect(costUsd).toBeGreaterThan(0);
  await eventually('three requests', async () =>
    (await sumOf('tollgate_tenant_requests_total', own)) === 3 ? true : undefined,
  );
  expect(await sumOf('tollgate_tenant_tokens_total', own)).toBe(tokens);
  expect(await sumOf('tollgate_tenant_cost_usd_total', own)).toBeCloseTo(costUsd, 9);
});

test('a quota that is nearly spent is reported, and a refusal counts for its organisation', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const quota = await tenant.create('quotas', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    metric: 'REQUESTS',
    period: 'DAILY',
    limit: 1,
  });
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(429);
  const text = await (await fetch(`${gateway.opsUrl()}/metrics`)).text();
  const line = text.split('\n').find((each) => each.includes(`limit="${quota.id}"`));
  expect(line).toMatch(/^tollgate_limit_remaining_ratio\{kind="QUOTA".* 0$/);
  const refused = `organisation="${tenant.id}",team="",model="",provider="",result="refused"`;
  expect(await sumOf('tollgate_tenant_requests_total', refused)).toBe(1);
});

test('a limit that was deleted, switched off or raised leaves the metrics without another request', async () => {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const quota = (limit: number) =>
    tenant.create('quotas', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      metric: 'REQUESTS',
      period: 'DAILY',
      mode: 'SOFT',
      limit,
    });
  const deleted = await quota(1);
  const disabled = await quota(1);
  const raised = await quota(1);
  const kept = await quota(1);
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
  const reported = async (): Promise<string[]> => {
    const text = await (await fetch(`${gateway.opsUrl()}/metrics`)).text();
    return [deleted, disabled, raised, kept]
      .map(({ id }) => id)
      .filter((id) => text.includes(`limit="${id}"`));
  };
  expect(await reported()).toHaveLength(4);
  const path = (id: string) => `${tenant.base}/quotas/${id}`;
  expectStatus(await gateway.rest.delete(path(deleted.id)), 204);
  expectStatus(await gateway.rest.patch(path(disabled.id), { status: 'DISABLED' }), 200);
  expectStatus(await gateway.rest.patch(path(raised.id), { limit: 1_000 }), 200);
  await eventually(
    'only the limit that is still spent is reported',
    async () => (await reported()).length === 1,
    120_000,
  );
  expect(await reported()).toEqual([kept.id]);
}, 180_000);
