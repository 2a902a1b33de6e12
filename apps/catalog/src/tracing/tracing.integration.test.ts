// The whole catalog beside a collector: what its spans are children of, and what has none.

import { LedgerClient } from '@tollgate/contracts/node';
import { callUnary, createGrpcClient, grpcChannel } from '@tollgate/kit';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@tollgate/simulator';

import { bootstrapAdmin, createPasswords } from '../auth';
import type { Database } from '../schema';
import {
  createTenant,
  entryOf,
  nextBatch,
  startTestCatalog,
  startTestDatabases,
  TOKENS,
  type Tenant,
  type TestDatabases,
} from '../test-support';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-01` };
const DEADLINE_MS = 20_000;
const ADMIN = { email: 'root@example.com', password: 'correct horse battery' };

type TestCatalog = Awaited<ReturnType<typeof startTestCatalog>>;

let databases: TestDatabases;
let database: Database & { url: string };
let receiver: OtlpReceiver;
let tenant: Tenant;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  databases = await startTestDatabases();
  database = await databases.fresh();
  await bootstrapAdmin({ orm: database.orm, passwords: createPasswords() }, ADMIN);
  tenant = await createTenant(database.orm);
});
beforeEach(() => {
  receiver.spans.length = 0;
});
afterAll(async () => {
  await databases.stop();
  await receiver.stop();
});

/** The last spans are sent when the catalog stops. */
async function traced(
  use: (catalog: TestCatalog) => Promise<unknown>,
  over: Record<string, string> = {},
): Promise<{ spans: readonly ReceivedSpan[]; logs: readonly string[] }> {
  const catalog = await startTestCatalog(database.url, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.httpUrl,
    ...over,
  });
  try {
    await use(catalog);
  } finally {
    await catalog.stop();
  }
  return { spans: receiver.spans, logs: catalog.logs };
}

test('a booked record is a child of the span that handed its settle over', async () => {
  const first = entryOf(tenant, { settle: { traceId: TRACE, spanId: SPAN } });
  // Its caller traces it, and the gateway does not.
  const second = entryOf(tenant, { settle: { traceId: TRACE } });
  const batch = await nextBatch(database.pool, tenant, [first, second]);
  const { spans } = await traced(async ({ grpcPort }) => {
    const address = `127.0.0.1:${grpcPort}`;
    const channel = grpcChannel({ address, caller: 'policy', token: TOKENS.policy });
    const client = createGrpcClient(LedgerClient, channel);
    // Sent again after a lost reply, it commits nothing.
    for (const committed of [true, false]) {
      const reply = await callUnary(client, 'append', batch, { deadlineMs: DEADLINE_MS });
      expect(reply.committed).toBe(committed);
    }
    client.close();
  });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    name: 'ledger append',
    traceId: TRACE,
    parentSpanId: SPAN,
    resource: { 'service.name': 'tollgate-catalog' },
    attributes: {
      'tollgate.request.id': first.requestId,
      'tollgate.ledger.seq': batch.last - 1,
      'tollgate.ledger.batch_entries': 2,
    },
  });
});

async function signIn({ url }: TestCatalog): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return `Bearer ${accessToken}`;
}

test('a call of the management API goes on with the trace of its caller', async () => {
  const { logs, spans } = await traced(async (catalog) => {
    const authorization = await signIn(catalog);
    const path = `${catalog.url}/api/organisations/${tenant.organisationId}/settings`;
    // Without a trace it has no span.
    for (const headers of [{}, SAMPLED]) {
      const response = await fetch(path, { headers: { ...headers, authorization } });
      expect(response.status).toBe(200);
    }
  });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    name: 'GET /api/organisations/:organisationId/settings',
    traceId: TRACE,
    parentSpanId: SPAN,
    attributes: { 'http.response.status_code': 200, 'tollgate.rest.operation': 'getSettings' },
  });
  expect(logs.filter((line) => line.includes(`"traceId":"${TRACE}"`))).toHaveLength(1);
});

const RATIO = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };

test.each([
  ['whoever is signed in has its call traced', true, {}, 1],
  ['whoever is not has not', false, {}, 0],
  ['a caller that is not trusted has not', true, { TRACE_TRUST_CALLERS: 'false' }, 0],
])('outside of the ratio %s', async (_what, signedIn, over, expected) => {
  const { spans } = await traced(
    async (catalog) => {
      const authorization = signedIn ? await signIn(catalog) : 'Bearer nobody';
      await fetch(`${catalog.url}/api/auth/me`, { headers: { ...SAMPLED, authorization } });
    },
    { ...RATIO, ...over },
  );
  expect(spans).toHaveLength(expected);
});
