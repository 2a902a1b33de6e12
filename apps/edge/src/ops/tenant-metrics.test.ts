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

function open(top: number, worker = '') {
  const clock = { ms: 0 };
  const metrics = createMetrics({ service: 'edge' });
  const { tenant } = createTenantMetrics(metrics, { top, nowMs: () => clock.ms, worker });
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
  const series = await scrape();
  // A first failure must not be the first sample of its series.
  expect(series.get(`tollgate_tenant_requests_total{${own},result="failed"}`)).toBe(0);
  expect(Object.fromEntries([...series].filter(([, value]) => value > 0))).toEqual({
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

test('a newcomer begins at zero, so that a rate has its first requests', async () => {
  const { clock, tenant, scrape } = open(1);
  tenant(request({ organisationId: 'first' }));
  for (let each = 0; each < 5; each += 1) tenant(request({ organisationId: 'busy' }));
  clock.ms = 60_000;
  expect(requestsOf(await scrape(), 'busy')).toBe(0);
  tenant(request({ organisationId: 'busy' }));
  expect(requestsOf(await scrape(), 'busy')).toBe(1);
});

test('a series names its worker', async () => {
  const { tenant, scrape } = open(1, '3');
  tenant(request({ organisationId: 'own' }));
  tenant(request({ organisationId: 'rest' }));
  const names = [...(await scrape()).keys()].filter((name) => name.includes('_requests_total'));
  // Of four results each.
  expect(names).toHaveLength(8);
  for (const name of names) expect(name).toContain('worker="3"');
});

/** The windows after which a busy organisation has a series, among quiet ones that are always new. */
async function windowsUntilNamed(top: number, quietOnes: number): Promise<number> {
  const { clock, tenant, scrape } = open(top);
  let made = 0;
  let sent = 0;
  const pass = async (busy: number) => {
    for (let each = 0; each < quietOnes; each += 1) {
      tenant(request({ organisationId: `quiet-${made}` }));
      made += 1;
      if (each < busy) tenant(request({ organisationId: 'busy' }));
    }
    sent += quietOnes + busy;
    clock.ms += 60_000;
    const series = await scrape();
    const requests = [...series].filter(([name]) => name.includes('_requests_total'));
    expect(requests.reduce((sum, [, value]) => sum + value, 0)).toBe(sent);
    return requestsOf(series, 'busy');
  };
  // Long enough that every place has been given, several times over.
  for (let each = 0; each < 30; each += 1) await pass(0);
  for (let windows = 1; windows <= 10; windows += 1) {
    if ((await pass(quietOnes / 10)) !== undefined) return windows;
  }
  throw new Error('the busy organisation is still one of the others');
}

test('a tenant that becomes busy is named within four windows, whatever was named before', async () => {
  expect(await windowsUntilNamed(5, 50)).toBeLessThanOrEqual(4);
  // More newcomers in a window than are watched at a time.
  expect(await windowsUntilNamed(3, 1_000)).toBeLessThanOrEqual(4);
});

test('a total that ends moves to the others, in a series that never grows', async () => {
  const { clock, tenant, scrape } = open(1);
  const window = async (organisationId: string, requests: number) => {
    for (let each = 0; each < requests; each += 1) {
      tenant(request({ organisationId, usage: { ...emptyUsage(), input: 2 }, costNanoUsd: 10n }));
    }
    clock.ms += 60_000;
    return scrape();
  };
  for (let each = 0; each < 6; each += 1) await window(`o${each}`, each + 1);
  const series = await window('o6', 7);
  // The first one had a request while it had its name.
  const past = [...series].filter(([name]) => name.includes('generation='));
  expect(past.length).toBeGreaterThan(0);
  for (const [name] of past) {
    expect(name).toContain('organisation="other",team="other",model="other",provider="provider_a"');
  }
  expect(requestsOf(series, 'o0')).toBeUndefined();
  const sum = (of: string) =>
    [...series].reduce((all, [name, value]) => (name.includes(of) ? all + value : all), 0);
  expect(sum('_requests_total')).toBe(28);
  expect(sum('_tokens_total')).toBe(56);
  expect(sum('_cost_usd_total')).toBeCloseTo(28 * 1e-8, 12);
});

const STEP = fc.record({
  organisation: fc.nat({ max: 40 }),
  provider: fc.constantFrom('provider_a', 'provider_b'),
  times: fc.integer({ min: 1, max: 20 }),
  tokens: fc.nat({ max: 1_000 }),
  passedMs: fc.constantFrom(0, 60_000),
});

/** What increase() adds up to between two scrapes, of series that begin at zero. */
function increaseOf(before: Map<string, number>, after: Map<string, number>, of: string): number {
  let increase = 0;
  for (const [name, value] of after) {
    if (!name.includes(of) || name.includes('generation=')) continue;
    const earlier = before.get(name) ?? 0;
    if (value < earlier) throw new Error(`${name} fell from ${earlier} to ${value}`);
    increase += value - earlier;
  }
  return increase;
}

test('the sum over all series is the total at every scrape, and so is the sum of increases', async () => {
  const top = 3;
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 40, maxLength: 90 }), async (steps) => {
      const { clock, tenant, scrape } = open(top);
      let before = new Map<string, number>();
      let requests = 0;
      let tokens = 0;
      let increase = 0;
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
        const sum = (of: string) =>
          [...series].reduce((all, [name, value]) => (name.includes(of) ? all + value : all), 0);
        expect(sum('_requests_total')).toBe(requests);
        expect(sum('_tokens_total')).toBe(tokens);
        increase += increaseOf(before, series, '_requests_total');
        expect(increase).toBe(requests);
        for (const [name, value] of series) {
          if (!name.includes('generation=')) continue;
          ends += 1;
          expect(before.get(name) ?? value).toBe(value);
        }
        const named = new Set(
          [...series.keys()].flatMap(
            (name) => /organisation="(o\d+)".*(provider="\w+")/.exec(name)?.slice(1).join() ?? [],
          ),
        );
        expect(named.size).toBeLessThanOrEqual(4 * top);
        before = series;
      }
    }),
    { numRuns: 12 },
  );
  expect(ends).toBeGreaterThan(0);
});
