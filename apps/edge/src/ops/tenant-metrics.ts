import { emptyUsage, TOKEN_CLASSES, type TokenUsage } from '@tollgate/contracts';
import type { Metrics, Reading } from '@tollgate/kit';

import { createBusiest, type Path } from './busiest';

const RESULTS = ['completed', 'refused', 'failed', 'closed'] as const;
/** `refused`: before any call of an upstream, by the gateway. `closed`: the client left. */
export type TenantResult = (typeof RESULTS)[number];

/** Whom a finished request counts for. Ids that are not known are empty. */
export interface TenantRequest {
  organisationId: string;
  teamId: string;
  /** The organisation's name of the model that was called; empty: none was. */
  model: string;
  provider: string;
  result: TenantResult;
  usage: TokenUsage;
  costNanoUsd: bigint;
}

/**
 * Metrics of the busiest tenants; the rest is counted as `other`. A series belongs to one worker. It never
 * falls, but it may end: then its total moves to a series of `other` with the label `generation`. That
 * series is replaced by one with a new label whenever it gets more. So the sum over all series stays
 * the total, and no rate() counts a request twice.
 */
export interface TenantMetrics {
  tenant: (request: TenantRequest) => void;
}

export interface TenantMetricsOptions {
  /** How many combinations of organisation, team, model and provider count at a time; 0: none. */
  top: number;
  nowMs: () => number;
  /** The number of this worker; empty without workers. */
  worker: string;
}

/** The total of one combination. */
interface Total {
  labels: Record<'organisation' | 'team' | 'model' | 'provider', string>;
  /** Labels that only some series have. */
  part: Partial<Record<'worker' | 'generation', string>>;
  results: Record<TenantResult, number>;
  usage: TokenUsage;
  /** Exact up to nine million dollars. */
  costNanoUsd: number;
}

const OTHER = 'other';

export function createTenantMetrics(
  metrics: Metrics,
  { top, nowMs, worker }: TenantMetricsOptions,
): TenantMetrics {
  if (top === 0) return { tenant: () => undefined };
  const part = worker === '' ? {} : { worker };
  const { ended, drop } = createEnded(part);
  const create = (path: Path) => totalOf(path, part);
  const busiest = createBusiest(top, { create, drop, nowMs });
  // By provider, whose names are few.
  const rest = new Map<string, Total>();
  const restOf = (provider: string): Total => {
    const known = rest.get(provider);
    if (known) return known;
    const total = create([OTHER, OTHER, OTHER, provider]);
    rest.set(provider, total);
    return total;
  };
  const totals = (): Total[] => [...busiest.values(), ...rest.values(), ...ended.values()];

  metrics.countedReadings(
    'tollgate_tenant_requests_total',
    'Finished requests to models of the busiest tenants, by result: completed, refused (by the gateway, before a call), failed, closed (the client left). The rest is other.',
    ['organisation', 'team', 'model', 'provider', 'result', 'worker', 'generation'],
    () => totals().flatMap((total) => readings(total, 'result', total.results, true)),
  );
  metrics.countedReadings(
    'tollgate_tenant_tokens_total',
    'Tokens that the busiest tenants are charged for, by class; the rest is other.',
    ['organisation', 'team', 'model', 'provider', 'class', 'worker', 'generation'],
    () => totals().flatMap((total) => readings(total, 'class', { ...total.usage })),
  );
  metrics.countedReadings(
    'tollgate_tenant_cost_usd_total',
    'Cost of the busiest tenants in US dollars, rounded to a float; the rest is other.',
    ['organisation', 'team', 'model', 'provider', 'worker', 'generation'],
    () =>
      totals().flatMap((total) =>
        total.costNanoUsd > 0 || isNew(total)
          ? [{ labels: { ...total.labels, ...total.part }, value: total.costNanoUsd / 1e9 }]
          : [],
      ),
  );

  return {
    tenant: ({ organisationId, teamId, model, provider, result, usage, costNanoUsd }) => {
      const total = busiest.count(organisationId, teamId, model, provider) ?? restOf(provider);
      total.results[result] += 1;
      for (const name of TOKEN_CLASSES) {
        if (usage[name] > 0) total.usage[name] += usage[name];
      }
      if (costNanoUsd > 0n) total.costNanoUsd += Number(costNanoUsd);
    },
  };
}

/** The totals of series that ended, by provider. */
function createEnded(part: Total['part']) {
  const ended = new Map<string, Total>();
  const drop = (total: Total): void => {
    if (isNew(total)) return;
    const { provider } = total.labels;
    const before = ended.get(provider);
    const generation = Number(before?.part.generation ?? 0) + 1;
    const path: Path = [OTHER, OTHER, OTHER, provider];
    const after = totalOf(path, { ...part, generation: String(generation) });
    for (const each of before ? [before, total] : [total]) add(after, each);
    ended.set(provider, after);
  };
  return { ended, drop };
}

function add(to: Total, { results, usage, costNanoUsd }: Total): void {
  for (const name of RESULTS) to.results[name] += results[name];
  for (const name of TOKEN_CLASSES) to.usage[name] += usage[name];
  to.costNanoUsd += costNanoUsd;
}

function totalOf([organisation, team, model, provider]: Path, part: Total['part']): Total {
  return {
    labels: { organisation, team, model, provider },
    part,
    results: { completed: 0, refused: 0, failed: 0, closed: 0 },
    usage: emptyUsage(),
    costNanoUsd: 0,
  };
}

/** Nothing is counted yet. Its series begin at 0, so that rate() sees the first requests; a class of tokens that comes later begins with its first ones. */
function isNew({ results }: Total): boolean {
  return RESULTS.every((name) => results[name] === 0);
}

function readings(
  total: Total,
  name: string,
  values: Readonly<Record<string, number>>,
  all = isNew(total),
): Reading[] {
  const { labels, part } = total;
  return Object.entries(values).flatMap(([given, value]) =>
    value > 0 || all ? [{ labels: { ...labels, [name]: given, ...part }, value }] : [],
  );
}
