import { until, type RunningService } from '@tollgate/stack';

import { boot } from '../gateway/boot';
import type { Rest } from '../gateway/rest';
import type { Undo } from '../undoing';
import { BURST, type Candidate, type Kill } from './candidate';

/** Short, so that what a killed edge has left is charged within the test. */
const LEASE_MS = '10000';
const START_MS = 60_000;
/** How old decisions from memory get, at most, before Redis has them (docs/architecture.md). */
const UNREPORTED_MS = 200;

/** Tollgate as deployed, one process of each service. */
export async function startCandidate(
  dir: string,
  upstreamUrl: string,
  undo: Undo,
): Promise<Candidate> {
  const { booked, edge, edgeUrl, policy, rest } = await boot({ dir, env: { LEASE_MS } }, undo);
  const { free, limited } = await makeKeys(rest, upstreamUrl);
  return {
    name: 'tollgate',
    url: edgeUrl,
    headers: { authorization: `Bearer ${free}` },
    budgetHeaders: { authorization: `Bearer ${limited}` },
    bodyOf: (body) => body,
    kills: [
      killOf('edge', [edge], edgeUrl, booked),
      killOf('policy', [policy], edgeUrl, booked),
      { ...killOf('edge and policy', [edge, policy], edgeUrl, booked), losesMs: UNREPORTED_MS },
    ],
  };
}

function killOf(
  what: string,
  services: readonly RunningService[],
  url: string,
  recorded: Kill['recorded'],
): Kill {
  return {
    what,
    kill: () => {
      for (const service of services) service.process().signal('SIGKILL');
    },
    restart: async () => {
      for (const service of services) await service.process().ended;
      // In the order of their dependencies.
      for (const service of services.toReversed()) await service.restart();
      await until(() => fetch(`${url}/v1/health`), 'the edge does not answer', START_MS);
    },
    recorded,
  };
}

async function makeKeys(
  rest: Rest,
  upstreamUrl: string,
): Promise<{ free: string; limited: string }> {
  const { id } = await rest.create('/api/admin/organisations', { name: 'Bench', slug: 'bench' });
  const base = `/api/organisations/${id}`;
  const provider = await rest.create(`${base}/providers`, {
    name: 'upstream',
    type: 'PROVIDER_A',
    baseUrl: `${upstreamUrl}/v1`,
    apiKey: 'sk-bench',
  });
  const model = await rest.create(`${base}/models`, {
    name: 'small',
    providerId: provider.id,
    upstreamModel: 'small',
    type: 'chat',
    contextTokens: 128_000,
    prices: [
      {
        steps: [{ fromInputTokens: 0, input: '0', cacheRead: '0', output: BURST.outputPrice }],
      },
    ],
  });
  const newKey = (name: string): ReturnType<Rest['create']> =>
    rest.create(`${base}/apikeys`, { name, type: 'ORGANISATION', modelIds: [model.id] });
  const [free, limited] = [await newKey('free'), await newKey('limited')];
  await rest.create(`${base}/budgets`, {
    scope: { type: 'API_KEY', id: limited.id },
    period: 'MONTHLY',
    limitUsd: BURST.budgetUsd,
  });
  return { free: String(free['key']), limited: String(limited['key']) };
}
