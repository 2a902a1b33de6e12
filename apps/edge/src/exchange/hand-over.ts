import type { SettleRequest } from '@tollgate/contracts/node';
import { newSpanId, type SpanAttributes } from '@tollgate/kit/tracing';

import type { Hold } from '../policy';
import type { Gateway } from './gateway';
import { noteStep, type RequestTrace } from './request-trace';

type Settling = Pick<Gateway, 'nowMs'> & { policy: Pick<Gateway['policy'], 'settle'> };

/** Hands the settle of a request over. That of a traced one names its span, and the catalog's is a child of it. */
export function handOver(
  { nowMs, policy }: Settling,
  trace: RequestTrace | undefined,
  hold: Hold,
  message: SettleRequest,
): void {
  if (!trace) return policy.settle(hold, message);
  const spanId = newSpanId();
  const startMs = nowMs();
  policy.settle(hold, { ...message, spanId });
  const attributes: SpanAttributes = [
    ['tollgate.settle.cancelled', message.cancelled],
    ['tollgate.outcome', message.outcome],
    ['tollgate.cost_nano_usd', message.costNanoUsd],
  ];
  noteStep(trace, { name: 'settle', spanId, startMs, endMs: nowMs(), attributes });
}
