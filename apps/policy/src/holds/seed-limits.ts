import { Failure } from '../failure';
import type { Attempt } from './allow';
import type { Seeded, SeedRequest } from './seeding';

interface SeedLimitsDeps {
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
}

/** Seeds some of the limits of a request. */
export function seedLimits(
  deps: SeedLimitsDeps,
  attempt: Attempt,
  ids: readonly string[],
  deadlineAtMs: number,
) {
  const { plan, limits } = attempt;
  return deps.seed({
    shard: plan.shard,
    organisationId: plan.organisationId,
    limits: limits.filter(({ limitId }) => ids.includes(limitId)),
    deadlineAtMs,
  });
}

/** For a refusal that is certain: cold counters only complete its figures. Whether they were seeded. */
export async function seedQuietly(
  deps: SeedLimitsDeps,
  attempt: Attempt,
  ids: readonly string[],
  deadlineAtMs: number,
): Promise<boolean> {
  try {
    await seedLimits(deps, attempt, ids, deadlineAtMs);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
