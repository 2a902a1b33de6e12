import type { Call } from '../../rest/call';

type LimitChange = {
  readonly resource: 'budget' | 'quota' | 'rate-limit';
  readonly verb: 'create' | 'update' | 'delete';
  readonly id: string;
  /** Counters that begin anew from what is booked; the limit's own id unless it has several. */
  readonly counters?: readonly string[];
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
};

/** Notes a change of a limit; the data plane forgets its counters and seeds them again. */
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

/** What is spent or held just now is no property of the limit. */
function withoutFigures(state: Record<string, unknown>): Record<string, unknown> {
  const moving = ['spentUsd', 'heldUsd', 'used', 'held', 'windowStart', 'windowEnd'];
  return Object.fromEntries(Object.entries(state).filter(([name]) => !moving.includes(name)));
}
