import { randomUUID } from 'node:crypto';
import type { Logger } from '@tollgate/kit';

// The policy processes that share a Redis, and whether each of them takes floats of others into account. One of a
// release before floats does not (docs/decisions/0133-floats-wait-for-older-policies.md).

/** A process that does not renew its claim of shards for this long is gone. */
export const CLAIM_TTL_MS = 10_000;

/** Ends the name under which a process claims shards. Releases before floats claim under a bare UUID. */
const KNOWS_FLOATS = '+floats';

/** A name for this process, whether or not it has floats itself. */
export const nameMember = (): string => `${randomUUID()}${KNOWS_FLOATS}`;

export interface MembersDeps {
  readonly monotonicMs?: () => number;
  /** For operators. */
  readonly onOlder: (count: number) => void;
  readonly log: Logger;
}

export interface Members {
  /** Everyone whose claim goes on, as a round of claims found them. */
  readonly see: (names: readonly string[]) => void;
  /**
   * False until the first round, for `CLAIM_TTL_MS` after an older policy was seen last, and from
   * `CLAIM_TTL_MS` without a round until as long after the next one.
   */
  readonly allKnowFloats: () => boolean;
}

export function createMembers(deps: MembersDeps): Members {
  const { monotonicMs = () => performance.now(), onOlder, log } = deps;
  let seenAtMs: number | undefined;
  let fromMs = Number.NEGATIVE_INFINITY;
  let before = 0;
  return {
    see(names) {
      const nowMs = monotonicMs();
      const older = names.filter((name) => !name.endsWith(KNOWS_FLOATS)).length;
      // Claims have lapsed without a round, and an older policy may be the last to claim again.
      const lapsed = seenAtMs !== undefined && nowMs - seenAtMs >= CLAIM_TTL_MS;
      if (older > 0 || lapsed) fromMs = nowMs + CLAIM_TTL_MS;
      seenAtMs = nowMs;
      onOlder(older);
      if (older > 0 && before === 0)
        log.info('policies of a release without floats run', { older });
      if (older === 0 && before > 0) log.info('all policies know floats');
      before = older;
    },
    allKnowFloats() {
      if (seenAtMs === undefined) return false;
      const nowMs = monotonicMs();
      return nowMs >= fromMs && nowMs - seenAtMs < CLAIM_TTL_MS;
    },
  };
}
