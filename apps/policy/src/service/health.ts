import type { DependencyHealth, HealthReply } from '@tollgate/contracts/node';
import { healthChecks, singleFlight, type Clock } from '@tollgate/kit';

export interface HealthDeps {
  readonly pingStore: () => Promise<unknown>;
  /** Rejects when the catalog's process is unreachable. */
  readonly reachCatalog: () => Promise<void>;
  /** Rejects when the catalog cannot read its database. */
  readonly askCatalog: () => Promise<unknown>;
  readonly stopping: () => boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface Health {
  readonly report: () => Promise<HealthReply & { serving: boolean }>;
}

// Dependencies are checked at most once a second.
const KEPT_MS = 1_000;

/** Whether this process can decide. It can without the catalog. */
export function createHealth(deps: HealthDeps): Health {
  const flight = singleFlight<DependencyHealth[]>();
  let kept: { atMs: number; dependencies: DependencyHealth[] } | undefined;

  const look = async (): Promise<DependencyHealth[]> => {
    const { checks } = await healthChecks(
      {
        redis: async () => void (await deps.pingStore()),
        catalog: deps.reachCatalog,
        postgres: async () => void (await deps.askCatalog()),
      },
      { timeoutMs: deps.timeoutMs },
    );
    const dependencies = Object.entries(checks).map(([name, check]) => ({
      name,
      ok: check.ok,
      message: check.ok ? '' : (check.message ?? 'does not answer'),
    }));
    kept = { atMs: deps.clock.now(), dependencies };
    return dependencies;
  };

  return {
    report: async () => {
      const fresh = kept !== undefined && deps.clock.now() - kept.atMs < KEPT_MS;
      const dependencies = fresh && kept ? kept.dependencies : await flight('health', look);
      const redis = dependencies.find(({ name }) => name === 'redis');
      return { serving: redis?.ok === true && !deps.stopping(), dependencies };
    },
  };
}
