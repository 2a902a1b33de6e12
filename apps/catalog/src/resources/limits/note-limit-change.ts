import type { Call } from '../../rest/call';

interface LimitChange {
  readonly resource: 'budget' | 'quota' | 'rate-limit';
  readonly verb: 'create' | 'update' | 'delete';
  readonly id: string;
  /** Counters to reseed from the books; the limit's own id by default. */
  readonly counters?: readonly string[];
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
}

/** Records a change of a limit. The data plane forgets its counters and seeds them again. */
export function noteLimitChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  { resource, verb, id, counters = [id], before, after }: LimitChange,
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `${resource}.${verb}`,
    organisationId,
    target: { type: resource, id },
    before: before && withoutFigures(before),
    after: after && withoutFigures(after),
    news: [{ kind: 'LIMIT', organisationId, limitIds: counters }],
  });
}

/** Current figures and counts of keys are not part of the limit, so they are not recorded. */
function withoutFigures(state: Record<string, unknown>): Record<string, unknown> {
  const moving = ['keysInScope', 'spentUsd', 'heldUsd', 'used', 'held', 'windowStart', 'windowEnd'];
  return Object.fromEntries(Object.entries(state).filter(([name]) => !moving.includes(name)));
}
