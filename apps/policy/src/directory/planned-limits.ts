import {
  limitFromWire,
  valueLimitFromWire,
  type Limit,
  type ValueLimit,
} from '@tollgate/contracts';
import type { KeyContext__Output } from '@tollgate/contracts/node';

/** A limit, prepared for many decisions. */
export interface PlannedLimit extends Limit {
  /** Rates per minute and concurrency: counted by the current time, not by a window. */
  readonly rate: boolean;
  /** The key of the tag, of limits on values of tags. */
  readonly tagKey?: string;
}

/** A limit that each end user, session or value of a tag has for itself. */
export interface PlannedValueLimit extends ValueLimit, Pick<PlannedLimit, 'rate'> {}

const COMMON: ReadonlySet<string> = new Set(['ORGANISATION', 'MODEL', 'MCP_SERVER']);

export function isCommon(scopeType: string): boolean {
  return COMMON.has(scopeType);
}

export function plannedLimit(wire: KeyContext__Output['limits'][number]): PlannedLimit {
  return withRate(limitFromWire(wire));
}

export function plannedValueLimit(
  wire: KeyContext__Output['valueLimits'][number],
): PlannedValueLimit {
  return withRate(valueLimitFromWire(wire));
}

function withRate<L extends Limit>(limit: L): L & Pick<PlannedLimit, 'rate'> {
  const rate = limit.kind !== 'BUDGET' && limit.kind !== 'QUOTA';
  if (!rate && limit.period === '' && limit.windowSeconds <= 0) {
    throw new RangeError(`limit ${limit.limitId}: it has neither a period nor a number of seconds`);
  }
  if (limit.kind === 'QUOTA' && limit.metric === '') {
    throw new RangeError(`limit ${limit.limitId}: the quota has no metric`);
  }
  return { ...limit, rate };
}
