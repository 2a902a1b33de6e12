import axios from 'axios';
import { Client } from 'pg';

import { checkBooks, eventually, PRICES, startGateway, undo, type Gateway } from '.';
import {
  CANDIDATES,
  furnish,
  recovered,
  startTalks,
  type House,
  type Talks,
  type Turn,
} from './caches/conversations';

// The turns of conversations find their prompt in the provider's cache, whichever edge they come through.
// The short form of `npm run caches`.

const CONVERSATIONS = 40;
const EDGES = 2;

let gateway: Gateway;
let house: House;
let talks: Talks;
const cleanup: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  gateway = await startGateway({
    edges: EDGES,
    policies: 2,
    env: { policy: { UPSTREAM_BREAKER_OPEN_MS: '200' } },
  });
  cleanup.push(gateway.stop);
  house = await furnish(gateway, { strategy: 'round_robin' }, cleanup);
  const urls = gateway.edges.map((_, at) => gateway.edgeUrl(at));
  talks = startTalks(urls, house.key, { conversations: CONVERSATIONS, atOnce: 8 });
  cleanup.push(talks.stop);
});
afterAll(() => undo(cleanup));

const cold = (turns: readonly Turn[]): number[] =>
  turns.filter(({ cached, possible }) => cached < possible).map(({ conversation }) => conversation);
const at = (turns: readonly Turn[], candidate: string): number[] =>
  turns.filter(({ model }) => model === candidate).map(({ conversation }) => conversation);
const sorted = (list: readonly number[]): number[] => list.toSorted((a, b) => a - b);

test('a turn reads from the cache all that earlier turns have left there, unless its candidate is away', async () => {
  const [killed] = CANDIDATES;
  const [door] = house.doors;
  const first = await talks.next();
  const movers = sorted(at(first, killed));
  expect(movers.length).toBeGreaterThan(0);
  expect(new Set(first.map(({ model }) => model)).size).toBe(CANDIDATES.length);
  const second = await talks.next();
  expect(cold(second)).toEqual([]);
  expect(sorted(at(second, killed))).toEqual(movers);

  door?.shut();
  const away = await talks.next();
  expect(at(away, killed)).toEqual([]);
  // Each of its conversations begins anew at another candidate, once; no other one notices.
  expect(sorted(cold(away))).toEqual(movers);
  expect(cold(await talks.next())).toEqual([]);

  door?.open();
  await recovered(gateway.edgeUrl(), house, killed);
  // They stay where their prompt is cached now.
  const back = await talks.next();
  expect(cold(back)).toEqual([]);
  expect(at(back, killed)).toEqual([]);
  expect(cold(await talks.next())).toEqual([]);
});

test('the books have what the upstream has billed, with the price of cached tokens', async () => {
  const billed = [...(await house.bill()).values()];
  // Both accounts of each candidate have conversations.
  expect(billed).toHaveLength(CANDIDATES.length * 2);
  for (const { cacheRead } of billed) expect(cacheRead).toBeGreaterThan(0);
  const nano = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1_000));
  const expected = billed.reduce(
    (sum, { cacheRead, input, output, requests }) => ({
      requests: sum.requests + requests,
      costNanoUsd:
        sum.costNanoUsd +
        BigInt(input) * nano(PRICES.input) +
        BigInt(cacheRead) * nano(PRICES.cacheRead) +
        BigInt(output) * nano(PRICES.output),
    }),
    { requests: 0, costNanoUsd: 0n },
  );
  const database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  try {
    await eventually('every turn has its record', async () => {
      const { rows } = await database.query<{ requests: number; cost: string }>(
        `SELECT count(*)::int AS requests, coalesce(sum(cost_nano_usd), 0)::text AS cost
         FROM usage_record WHERE organisation_id = $1`,
        [house.tenant.id],
      );
      const [found] = rows;
      if (found?.requests !== expected.requests) return undefined;
      expect(BigInt(found.cost)).toBe(expected.costNanoUsd);
      return true;
    });
  } finally {
    await database.end();
  }
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
});

test('encrypted reasoning goes back to the account that made it, and others refuse it in their own words', async () => {
  const [killed] = CANDIDATES;
  const [door] = house.doors;
  const inputs = Array.from({ length: 12 }, (): object[] => []);
  const turn = () =>
    Promise.all(
      inputs.map(async (input, n) => {
        const answer = await axios.post<{ output: object[]; error?: { code: string } }>(
          `${gateway.edgeUrl(n % EDGES)}/v1/responses`,
          {
            model: 'spread',
            input: [...input, { role: 'user', content: 'Go on.' }],
            store: false,
            include: ['reasoning.encrypted_content'],
            reasoning: { effort: 'low' },
          },
          {
            headers: { authorization: `Bearer ${house.key}`, session_id: `reasons ${String(n)}` },
            validateStatus: () => true,
          },
        );
        if (answer.status === 200) {
          input.push({ role: 'user', content: 'Go on.' }, ...answer.data.output);
        }
        const { error } = answer.data;
        return {
          status: answer.status,
          code: error?.code,
          model: answer.headers['x-tollgate-model'],
        };
      }),
    );
  const first = await turn();
  expect(JSON.stringify(inputs)).toContain('encrypted_content');
  const theirs = first.map(({ model }) => model === killed);
  expect(theirs).toContain(true);
  const statuses = async () => (await turn()).map(({ code, status }) => code ?? status);
  for (const _ of [1, 2]) expect(await statuses()).toEqual(theirs.map(() => 200));
  door?.shut();
  const refused = theirs.map((its) => (its ? 'invalid_encrypted_content' : 200));
  expect(await statuses()).toEqual(refused);
  expect(await statuses()).toEqual(refused);
  door?.open();
  await recovered(gateway.edgeUrl(), house, killed);
  // The refusals sent them back, so what made their reasoning reads it again.
  expect(await statuses()).toEqual(theirs.map(() => 200));
});
