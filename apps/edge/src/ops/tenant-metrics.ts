import { emptyUsage, TOKEN_CLASSES, type TokenUsage } from '@tollgate/contracts';
import type { Metrics, Reading } from '@tollgate/kit';

import { createBusiest, type Path } from './busiest';

/** `refused`: before any call of an upstream, by the gateway. `closed`: the client left. */
export type TenantResult = 'completed' | 'refused' | 'failed' | 'closed';

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

/** Metrics of the busiest tenants; the rest is counted as `other`. */
export interface TenantMetrics {
  tenant: (request: TenantRequest) => void;
}

export interface TenantMetricsOptions {
  /** How many combinations of organisation, team, model and provider count at a time; 0: none. */
  top: number;
  nowMs: () => number;
}

/** The total of one combination. */
interface Total {
  labels: Record<'organisation' | 'team' | 'model' | 'provider', string>;
  results: Record<TenantResult, number>;
  usage: TokenUsage;
  /** Exact up to nine million dollars. */
  costNanoUsd: number;
}

const OTHER = 'other';

export function createTenantMetrics(
  metrics: Metrics,
  { top, nowMs }: TenantMetricsOptions,
): TenantMetrics {
  if (top === 0) return { tenant: () => undefined };
  const busiest = createBusiest(top, totalOf, nowMs);
  // By provider, whose names are few.
  const rest = new Map<string, Total>();
  const restOf = (provider: string): Total => {
    const known = rest.get(provider);
    if (known) return known;
    const total = totalOf([OTHER, OTHER, OTHER, provider]);
    rest.set(provider, total);
    return total;
  };
  const totals = (): Total[] => [...busiest.values(), ...rest.values()];

  metrics.countedReadings(
    'tollgate_tenant_requests_total',
    'Finished requests to models of the busiest tenants, by result: completed, refused (by the gateway, before a call), failed, closed (the client left). The rest is other.',
    ['organisation', 'team', 'model', 'provider', 'result'],
    () => totals().flatMap(({ labels, results }) => readings(labels, 'result', results)),
  );
  metrics.countedReadings(
    'tollgate_tenant_tokens_total',
    'Tokens that the busiest tenants are charged for, by class; the rest is other.',
    ['organisation', 'team', 'model', 'provider', 'class'],
    () => totals().flatMap(({ labels, usage }) => readings(labels, 'class', { ...usage })),
  );
  metrics.countedReadings(
    'tollgate_tenant_cost_usd_total',
    'Cost of the busiest tenants in US dollars, rounded to a float; the rest is other.',
    ['organisation', 'team', 'model', 'provider'],
    () =>
      totals().flatMap(({ labels, costNanoUsd }) =>
        costNanoUsd > 0 ? [{ labels, value: costNanoUsd / 1e9 }] : [],
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

function totalOf([organisation, team, model, provider]: Path): Total {
  return {
    labels: { organisation, team, model, provider },
    results: { completed: 0, refused: 0, failed: 0, closed: 0 },
    usage: emptyUsage(),
    costNanoUsd: 0,
  };
}

function readings(
  labels: Total['labels'],
  name: string,
  values: Readonly<Record<string, number>>,
): Reading[] {
  return Object.entries(values).flatMap(([given, value]) =>
    value > 0 ? [{ labels: { ...labels, [name]: given }, value }] : [],
  );
}
