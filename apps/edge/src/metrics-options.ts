import { namesTenants, workerId } from '@tollgate/kit';

import type { Config } from './config';
import type { EdgeMetricsOptions } from './ops/metrics';

/** What the configuration says about metrics that name tenants. */
export function metricsOptions(config: Config): EdgeMetricsOptions {
  const named = namesTenants(config);
  return {
    tenants: {
      top: named ? config.METRICS_TENANTS_TOP : 0,
      nowMs: () => performance.now(),
      worker: workerId(),
    },
    limits: {
      top: named ? config.METRICS_LIMITS_TOP : 0,
      fromPercent: config.METRICS_LIMITS_FROM,
      wallMs: Date.now,
    },
  };
}
