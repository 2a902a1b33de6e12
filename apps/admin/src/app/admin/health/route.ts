import { rest } from '@tollgate/contracts';

import { healthBody, type HealthAnswer } from '../../../api/health';
import type { Config } from '../../../config';
import { runtime } from '../../../server/runtime';
import { platformScope } from '../../../server/viewer';

const TIMEOUT_MS = 3_000;

/** The health of the services, for the platform's dashboard and nobody else. */
export async function GET(): Promise<Response> {
  const scope = await platformScope();
  if (!scope.ok) return Response.json({ services: [] }, { status: 503 });
  const health = await askHealth(runtime().config);
  return Response.json(health, { headers: { 'cache-control': 'no-store' } });
}

/** Never throws: a service that does not answer is reported as failed. */
async function askHealth(config: Config): Promise<HealthAnswer> {
  const catalog = new URL(rest.getHealth.path, config.CATALOG_URL).href;
  const edge = new URL('/v1/healthz', config.EDGE_URL).href;
  return { services: await Promise.all([ask('Gateway', edge), ask('Catalog', catalog)]) };
}

async function ask(name: string, url: string): Promise<HealthAnswer['services'][number]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: 'no-store' });
    const { checks } = healthBody.parse(await answer.json());
    return { name, ok: answer.ok, checks };
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError';
    const message = late ? 'No answer in time.' : 'Not reachable.';
    return { name, ok: false, message, checks: {} };
  }
}
