import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import axios, { type AxiosResponse } from 'axios';

import {
  chat,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';
import { seeded, type Random } from './faults/random';

// Requests with random fallbacks, over upstreams that fail at random. Each upstream says for itself which
// requests it got: none from a key whose regions exclude it.

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_128);
const REQUESTS = 160;
const AT_ONCE = 8;

interface Upstream {
  readonly region: string | null;
  readonly url: string;
  /** What the messages of its requests say, in order. */
  readonly got: string[];
  readonly server: Server;
}

type Outcome = 'broken' | 'busy' | 'cut' | 'slow' | 'answered';
const OUTCOMES: readonly Outcome[] = [
  ...Array.from({ length: 5 }, () => 'broken' as const),
  ...Array.from({ length: 2 }, () => 'busy' as const),
  ...Array.from({ length: 2 }, () => 'cut' as const),
  ...Array.from({ length: 3 }, () => 'slow' as const),
  ...Array.from({ length: 8 }, () => 'answered' as const),
];
/** Longer than the hedge waits. */
const SLOW_MS = 200;
const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});

/** Each upstream has a sequence of its own, so that others do not change what it does. */
async function startUpstream(region: string | null, random: Random): Promise<Upstream> {
  const got: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const outcome = random.pick(OUTCOMES);
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
    got.push(messages[0]?.content ?? '');
    if (outcome === 'cut') return void request.socket.destroy();
    if (outcome === 'broken' || outcome === 'busy') {
      response.writeHead(outcome === 'broken' ? 500 : 503);
      return void response.end(`{"error":{"message":"${outcome}"}}`);
    }
    if (outcome === 'slow') await delay(SLOW_MS);
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  };
  const server = createServer((request, response) => {
    // An attempt that was given up breaks the body.
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { region, url: `http://127.0.0.1:${String(port)}/v1`, got, server };
}

interface Sender {
  readonly key: string;
  readonly id: string;
  readonly allowed: readonly string[] | undefined;
  readonly policy: string;
}

let gateway: Gateway;
let tenant: Tenant;
let upstreams: Upstream[] = [];
const providerIds = new Map<string | null, string>();
const modelIds: string[] = [];
beforeAll(async () => {
  // Breakers stay closed, so that fallbacks go on.
  gateway = await startGateway({ env: { policy: { UPSTREAM_BREAKER_FAILURES: '10000' } } });
  tenant = await newTenant(gateway, {
    organisation: { routingEnabled: true, routeCompatRequests: true, openCompatRoutes: true },
  });
  process.stdout.write(`seed ${String(SEED)}\n`);
  for (const [at, region] of ['eu', 'us', 'asia', null].entries()) {
    const upstream = await startUpstream(region, seeded(SEED + at));
    upstreams.push(upstream);
    const name = region ?? 'nowhere';
    const { id: providerId } = await tenant.create('providers', {
      name,
      type: 'CUSTOM',
      upstreamFormat: 'openai',
      baseUrl: upstream.url,
      region,
    });
    providerIds.set(region, providerId);
    modelIds.push(await tenant.model(`chat-${name}`, 'm', { providerId }));
  }
});
afterAll(async () => {
  await gateway?.stop();
  for (const { server } of upstreams) {
    server.closeAllConnections();
    server.close();
  }
  upstreams = [];
});

async function sender(
  n: number,
  of: { team?: readonly string[]; key?: readonly string[] },
  policy: object,
): Promise<Sender> {
  const team = await tenant.create('teams', { name: `team-${n}`, allowedRegions: of.team ?? [] });
  const name = `policy-${n}`;
  const { id: routingPolicyId } = await tenant.create('routing-policies', {
    name,
    candidates: modelIds.map((modelId) => ({ modelId })),
    failoverTriggers: ['any'],
    ...policy,
  });
  const made = await tenant.key({
    type: 'TEAM',
    teamId: team.id,
    modelIds,
    routingPolicyId,
    allowedRegions: of.key ?? [],
  });
  const sets = [of.team ?? [], of.key ?? []].filter((set) => set.length > 0);
  const allowed = sets[0]?.filter((region) => sets.every((set) => set.includes(region)));
  return { ...made, allowed, policy: name };
}

interface Recorded {
  regions: string | null;
  attempts: { region: string | null; providerId: string }[];
}

test('no upstream gets a request from a key whose regions exclude it', async () => {
  const senders = [
    await sender(0, { team: ['eu'] }, { strategy: 'failover', retries: 1 }),
    await sender(1, { team: ['eu', 'us'], key: ['us', 'asia'] }, { strategy: 'round_robin' }),
    await sender(2, { key: ['eu', 'asia'] }, { strategy: 'weighted', hedgeAfterMs: 50 }),
    await sender(3, { team: ['us', 'asia'] }, { strategy: 'lowest_latency', retries: 2 }),
    await sender(4, {}, { strategy: 'round_robin' }),
    await sender(5, { team: ['eu'], key: ['us'] }, { strategy: 'failover' }),
  ];
  const answers: { from: number; answer: AxiosResponse }[] = [];
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (sent < REQUESTS) {
      const from = sent % senders.length;
      sent += 1;
      const { key, policy } = senders[from] as Sender;
      const messages = [{ role: 'user', content: String(from) }];
      const answer = await chat(gateway.edgeUrl(), key, { model: policy, messages });
      answers.push({ from, answer });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));

  for (const { region, got } of upstreams) {
    for (const from of new Set(got)) {
      const { allowed } = senders[Number(from)] as Sender;
      expect([region, from, allowed === undefined || allowed.includes(region ?? '')]).toEqual([
        region,
        from,
        true,
      ]);
    }
  }
  // The key without regions uses the upstream without one, and every upstream is used at all.
  expect(upstreams.map(({ got }) => got.length > 0)).toEqual([true, true, true, true]);
  const nowhere = answers.filter(({ from }) => from === 5);
  expect(nowhere.length).toBeGreaterThan(10);
  for (const { answer } of nowhere) {
    expect([answer.status, answer.data]).toMatchObject([
      403,
      { error: { code: 'region_not_allowed' } },
    ]);
  }

  let several = 0;
  for (const { from, answer } of answers) {
    if (answer.status === 403 || answer.headers['x-tollgate-attempt'] === undefined) continue;
    const record = (await recordOf(gateway, tenant, requestIdOf(answer))) as Recorded;
    const { allowed } = senders[from] as Sender;
    const regions = record.attempts.map(({ region }) => region);
    const named = new Set(regions.map((region) => region ?? 'unknown'));
    expect(record.regions).toBe([...named].toSorted().join(', '));
    for (const { region, providerId } of record.attempts) {
      expect(providerIds.get(region)).toBe(providerId);
      if (allowed !== undefined) expect(allowed).toContain(region);
    }
    if (regions.length > 1) several += 1;
  }
  expect(several).toBeGreaterThan(10);

  const report = async (keyId: string, regions: string): Promise<{ stayed: boolean }> => {
    const query = `regions=${regions}&apiKeyId=${keyId}`;
    const path = `${tenant.base}/usage/residency?${query}`;
    return expectStatus(await gateway.rest.get(path), 200).data as { stayed: boolean };
  };
  expect(await report(senders[0]?.id ?? '', 'eu')).toMatchObject({
    stayed: true,
    totals: { OUTSIDE: 0, UNKNOWN: 0, NOT_RECORDED: 0 },
  });
  expect(await report(senders[4]?.id ?? '', 'eu')).toMatchObject({ stayed: false });
});

const decided = async (key: string): Promise<{ decision: string }> =>
  expectStatus(
    await axios.post(
      `${gateway.edgeUrl()}/v1/chat/completions`,
      { model: 'chat-eu', messages: [{ role: 'user', content: '4' }] },
      {
        headers: { authorization: `Bearer ${key}`, 'x-tollgate-dry-run': 'true' },
        validateStatus: () => true,
      },
    ),
    200,
  ).data as { decision: string };

test('a screening service outside of the regions gets no texts', async () => {
  const got: string[] = [];
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        got.push(body);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"verdict":"PASS"}');
      })
      .catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { key, id } = await tenant.key({ modelIds, allowedRegions: ['eu'] });
    const service = await tenant.create('screening-services', {
      identifier: 'checker',
      name: 'Checker',
      url: `http://127.0.0.1:${String(port)}/check`,
      protocol: { type: 'TOLLGATE_HTTP' },
    });
    await tenant.create('screening-policies', {
      identifier: 'checked',
      name: 'Checked',
      attachedTo: [{ scopeType: 'API_KEY', scopeId: id }],
      rules: [
        {
          id: 'ask',
          kind: 'EXTERNAL',
          service: 'checker',
          where: ['INPUT'],
          action: 'BLOCK',
          onError: 'BLOCK',
        },
      ],
    });
    await eventually('the screening counts', async () => {
      const { decision, ...more } = await decided(key);
      return decision === 'deny' && more;
    });
    const refused = await chat(gateway.edgeUrl(), key, { model: 'chat-eu' });
    expectStatus(refused, 403);
    expect(refused.data).toMatchObject({
      error: { code: 'region_not_allowed', details: { screeningService: 'checker' } },
    });
    expect(got).toEqual([]);
    const path = `${tenant.base}/screening-services/${service.id}`;
    expectStatus(await gateway.rest.patch(path, { region: 'eu' }), 200);
    await eventually('the region counts', async () => (await decided(key)).decision === 'allow');
    await chat(gateway.edgeUrl(), key, { model: 'chat-eu' });
    expect(got).not.toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a change of regions counts at once, and a dry run tells it', async () => {
  const providerId = providerIds.get('eu') ?? '';
  const { key } = await tenant.key({ modelIds, allowedRegions: ['eu'] });
  const dry = () => decided(key);
  expect(await dry()).toMatchObject({ decision: 'allow', candidates: [{ region: 'eu' }] });
  const path = `${tenant.base}/providers/${providerId}`;
  expectStatus(await gateway.rest.patch(path, { region: 'us' }), 200);
  const denied = await eventually('the change counts', async () => {
    const answer = await dry();
    return answer.decision === 'deny' && answer;
  });
  expect(denied).toMatchObject({ error: { code: 'region_not_allowed' } });
});
