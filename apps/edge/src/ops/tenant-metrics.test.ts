import { emptyUsage } from '@tollgate/contracts';
import { createMetrics } from '@tollgate/kit';
import fc from 'fast-check';

import { createTenantMetrics, type TenantRequest } from './tenant-metrics';

const request = (given: Partial<TenantRequest>): TenantRequest => ({
  organisationId: 'o1',
  teamId: 't1',
  model: 'small',
  provider: 'provider_a',
  result: 'completed',
  usage: emptyUsage(),
  costNanoUsd: 0n,
  ...given,
});

function open(top: number) {
  const clock = { ms: 0 };
  const metrics = createMetrics({ service: 'edge' });
  const { tenant } = createTenantMetrics(metrics, { top, nowMs: () => clock.ms });
  /** The series of tenants with their values. */
  const scrape = async (): Promise<Map<string, number>> => {
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('tollgate_tenant'));
    return new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at).replace(',service="edge"', ''), Number(line.slice(at))];
      }),
    );
  };
  return { clock, tenant, scrape };
}

test('requests, tokens and cost add up by organisation, team, model and provider', async () => {
  const { tenant, scrape } = open(2);
  tenant(
    request({ usage: { ...emptyUsage(), input: 10, output: 3 }, costNanoUsd: 1_500_000_000n }),
  );
  tenant(request({ usage: { ...emptyUsage(), input: 5 }, costNanoUsd: 250_000_000n }));
  tenant(request({ model: '', result: 'refused', provider: '' }));
  const own = 'organisation="o1",team="t1",model="small",provider="provider_a"';
  expect(Object.fromEntries(await scrape())).toEqual({
    [`tollgate_tenant_requests_total{${own},result="completed"}`]: 2,
    'tollgate_tenant_requests_total{organisation="o1",team="t1",model="",provider="",result="refused"}': 1,
    [`tollgate_tenant_tokens_total{${own},class="input"}`]: 15,
    [`tollgate_tenant_tokens_total{${own},class="output"}`]: 3,
    [`tollgate_tenant_cost_usd_total{${own}}`]: 1.75,
  });
});

const requestsOf = (series: Map<string, number>, organisation: string): number | undefined =>
  [...series].find(
    ([name]) => name.includes('_requests_') && name.includes(`organisation="${organisation}"`),
  )?.[1];

test('a busier tenant takes the place of another one, whose series stands still', async () => {
  const { clock, tenant, scrape } = open(1);
  tenant(request({ organisationId: 'first' }));
  for (let each = 0; each < 5; each += 1) tenant(request({ organisationId: 'busy' }));
  expect(requestsOf(await scrape(), 'other')).toBe(5);
  clock.ms = 60_000;
  await scrape();
  tenant(request({ organisationId: 'busy' }));
  tenant(request({ organisationId: 'first' }));
  const after = await scrape();
  expect(requestsOf(after, 'busy')).toBe(1);
  expect(requestsOf(after, 'first')).toBe(1);
  expect(requestsOf(after, 'other')).toBe(6);
});

test('off: there is no series', async () => {
  const { tenant, scrape } = open(0);
  tenant(request({}));
  expect((await scrape()).size).toBe(0);
});

const STEP = fc.record({
  organisation: fc.nat({ max: 40 }),
  provider: fc.constantFrom('provider_a', 'provider_b'),
  times: fc.integer({ min: 1, max: 20 }),
  tokens: fc.nat({ max: 1_000 }),
  passedMs: fc.constantFrom(0, 0, 0, 60_000),
});

test('series never fall, are bounded, and their sum is the total', async () => {
  const top = 3;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 60 }), async (steps) => {
      const { clock, tenant, scrape } = open(top);
      let before = new Map<string, number>();
      let requests = 0;
      let tokens = 0;
      for (const step of steps) {
        clock.ms += step.passedMs;
        for (let each = 0; each < step.times; each += 1) {
          const usage = { ...emptyUsage(), input: step.tokens };
          const { provider } = step;
          tenant(request({ organisationId: `o${step.organisation}`, provider, usage }));
        }
        requests += step.times;
        tokens += step.times * step.tokens;
        const series = await scrape();
        for (const [name, value] of before) {
          expect(series.get(name) ?? 0).toBeGreaterThanOrEqual(value);
        }
        const sum = (of: string) =>
          [...series].reduce((all, [name, value]) => (name.includes(of) ? all + value : all), 0);
        expect(sum('_requests_total')).toBe(requests);
        expect(sum('_tokens_total')).toBe(tokens);
        const named = [...series.keys()].filter((name) => name.includes('_requests_total'));
        expect(named.length).toBeLessThanOrEqual(4 * top + 2);
        before = series;
      }
    }),
    { numRuns: 50 },
  );
});
