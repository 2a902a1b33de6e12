import axios, { type AxiosResponse } from 'axios';

import { eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';

// Images at a price by size and quality: whatever a request leaves open, the provider's own bill never exceeds a hard
// budget.

let gateway: SharedGateway;

beforeAll(async () => {
  gateway = await sharedGateway();
});

const CALLERS = 40;
/** Affords two images at the dearest price, and more at the price of those that are drawn. */
const LIMIT_NANO_USD = 600_000_000;
/** The simulator draws images of an open size and quality in these. */
const DRAWN_NANO_USD = { image_medium_1024x1024: 42_000_000, image_high_1024x1024: 167_000_000 };
const DEAREST_NANO_USD = 250_000_000;

interface Bill {
  readonly requests: readonly {
    readonly units: { images: { count: number; size: string; quality: string } };
  }[];
}

async function billed({ slug }: Tenant): Promise<number> {
  const answer = await fetch(`${gateway.simulatorUrl}/_sim/bill?apiKey=sk-sim-${slug}`);
  const { requests } = (await answer.json()) as Bill;
  let nanoUsd = 0;
  for (const { count, quality, size } of requests.map(({ units }) => units.images)) {
    const unit = `image_${quality}_${size}`;
    nanoUsd += count * DRAWN_NANO_USD[unit as keyof typeof DRAWN_NANO_USD];
  }
  return nanoUsd;
}

const usd = (nanoUsd: number): string => (nanoUsd / 1e9).toFixed(9);

async function drawingTenant(
  usualNanoUsd?: number,
  upstreamModel = 'sim',
): Promise<{ tenant: Tenant; key: string }> {
  const tenant = await newTenant(gateway, { organisation: { openCompatRoutes: true } });
  const prices = { ...DRAWN_NANO_USD, image_high_1024x1536: DEAREST_NANO_USD };
  const usual = usualNanoUsd === undefined ? {} : { image: usualNanoUsd };
  const perUnitUsd = Object.fromEntries(
    Object.entries({ ...prices, ...usual }).map(([unit, nanoUsd]) => [unit, usd(nanoUsd)]),
  );
  const modelId = await tenant.model('draws', upstreamModel, {
    type: 'image',
    defaultMaxOutputTokens: null,
    prices: [{ steps: [{ fromInputTokens: 0, input: '0', output: '0' }], perUnitUsd }],
  });
  await tenant.create('budgets', {
    scope: { type: 'ORGANISATION', id: tenant.id },
    period: 'MONTHLY',
    mode: 'HARD',
    limitUsd: usd(LIMIT_NANO_USD),
  });
  const { key } = await tenant.key({ modelIds: [modelId] });
  return { tenant, key };
}

const draw = (key: string, asked: object, signal?: AbortSignal): Promise<AxiosResponse> =>
  axios.post(
    `${gateway.edgeUrl()}/v1/images/generations`,
    { model: 'draws', prompt: 'A fox', ...asked },
    {
      headers: { authorization: `Bearer ${key}` },
      validateStatus: () => true,
      ...(signal ? { signal } : {}),
    },
  );

test.each([
  ['no size', {}, undefined],
  [
    'an automatic size in high quality, beside a cheap usual price',
    { size: 'auto', quality: 'high' },
    1_000,
  ],
  ['no quality, streamed', { size: '1024x1024', stream: true }, undefined],
])('forty at once with %s never spend more than a hard budget', async (_, asked, usual) => {
  const { tenant, key } = await drawingTenant(usual);
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => draw(key, asked)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  const nanoUsd = await billed(tenant);
  expect(nanoUsd).toBeGreaterThan(0);
  expect(nanoUsd).toBeLessThanOrEqual(LIMIT_NANO_USD);
  const spent = await eventually('all of the bill is booked', async () => {
    const { data } = await gateway.rest.get(`${tenant.base}/budgets`);
    const [budget] = (data as { data: { spentUsd: string; heldUsd: string }[] }).data;
    if (budget === undefined || Number(budget.heldUsd) > 0) return undefined;
    const booked = Math.round(Number(budget.spentUsd) * 1e9);
    return booked >= nanoUsd ? booked : undefined;
  });
  expect(spent).toBe(nanoUsd);
});

test('a client that hangs up pays for the dearest image, because none is known', async () => {
  const { tenant, key } = await drawingTenant(undefined, 'sim-slow-first-byte-2000');
  const gone = new AbortController();
  const answer = draw(key, { n: 2 }, gone.signal);
  await eventually('the upstream has the request', async () => {
    const seen = await fetch(`${gateway.simulatorUrl}/_sim/requests?apiKey=sk-sim-${tenant.slug}`);
    const { data } = (await seen.json()) as { data: unknown[] };
    return data.length > 0 ? true : undefined;
  });
  gone.abort();
  await expect(answer).rejects.toThrow();
  const record = await eventually('the request is booked', async () => {
    const { data } = await gateway.rest.get(`${tenant.base}/usage/records`);
    return (data as { data: { costUsd: string }[] }).data[0];
  });
  expect(Number(record.costUsd) * 1e9).toBe(2 * DEAREST_NANO_USD);
});
