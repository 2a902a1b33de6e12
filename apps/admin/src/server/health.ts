import { rest } from '@tollgate/contracts';
import type { Config } from '../config';
import { healthBody, type HealthAnswer } from '../features/dashboard/health';

const TIMEOUT_MS = 3_000;

/** Asks the services that the console knows how they are. Never fails: a service may. */
export async function askHealth(config: Config): Promise<HealthAnswer> {
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
    const message = late ? 'It does not answer in time.' : 'It cannot be reached.';
    return { name, ok: false, message, checks: {} };
  }
}
