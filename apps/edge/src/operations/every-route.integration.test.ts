// No route bypasses metering: each row of the route table is authorised, held and booked.

import { isFreeOperation, isStorageOperation } from '@tollgate/contracts';

import { ROUTES, type Route } from '../routes';
import { answerTo, bodyFor, pathFor } from '../test-support/bodies';
import { allow, candidate, deny, startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const rows = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

const send = (route: Route, headers: Record<string, string> = {}) =>
  h.send(pathFor(route), bodyFor(route), headers, route.method);

/** Where each format states the gateway's error code. */
function codeIn({ format }: Route, body: unknown): unknown {
  const [first] = Array.isArray(body) ? (body as unknown[]) : [body];
  const { error } = first as { error: Record<string, unknown> };
  if (!format.startsWith('gemini')) return error['code'];
  const [details] = error['details'] as { reason: string }[];
  return details?.reason;
}

describe.each(rows)('%s', (_, route) => {
  test('an exhausted budget is 402 in the route’s error format, and nothing is sent', async () => {
    h.policy.decide = () => deny('budget_exceeded');
    const response = await send(route);
    expect(response.status).toBe(402);
    expect(codeIn(route, await response.json())).toBe('budget_exceeded');
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('request-id')).toBeTruthy();
    expect(h.upstream.received).toHaveLength(0);
    expect(h.policy.authorized).toHaveLength(1);
    expect(h.policy.authorized[0]).toMatchObject({
      operation: route.operation,
      route: route.path,
      family: route.family,
    });
    // Policy is told the size of whatever a provider has to read.
    const { inputTokensEstimate, storedId, unitsEstimate } = h.policy.authorized[0] ?? {};
    const held = Number(inputTokensEstimate) + Object.keys(unitsEstimate ?? {}).length;
    // Stored objects can be read and cancelled even when the budget is spent.
    if (!isStorageOperation(route.operation)) expect(held).toBeGreaterThan(0);
    else {
      const id = route.operation === 'conversation_create' ? '' : 'stored_1';
      expect({ held, storedId }).toEqual({ held: 0, storedId: id });
    }
  });

  test('a request without a key is 401 in the route’s error format', async () => {
    const response = await send(route, { authorization: '' });
    expect(response.status).toBe(401);
    expect(codeIn(route, await response.json())).toBe('missing_api_key');
  });

  test('an answer is booked once, with its usage', async () => {
    const vllm = route.family === 'vllm';
    h.policy.decide = () =>
      allow([
        candidate({
          providerType: vllm ? 'PROVIDER_D' : 'PROVIDER_A',
          upstreamFormat: vllm ? 'vllm' : 'openai',
          maxOutputTokens: 0,
        }),
      ]);
    const streams = route.model.in === 'path' && route.model.stream;
    if (streams || route.operation === 'responses') return;
    h.upstream.script = answerTo(route.operation);
    const response = await send(route);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    const settle = await h.settled();
    expect(settle).toMatchObject({ cancelled: false, outcome: 'COMPLETED', httpStatus: 200 });
    const free =
      isFreeOperation(route.operation) || ['tokenize', 'detokenize'].includes(route.operation);
    const { usage, units } = settle;
    const counted = [...Object.values(usage ?? {}), ...Object.values(units)].map(Number);
    if (!free) expect(Math.max(...counted)).toBeGreaterThan(0);
  });
});
