import type { AuthorizeRequest } from '@tollgate/contracts/node';

import type { Gateway } from './gateway';
import { askingPolicy, noteDecision, type RequestTrace } from './request-trace';

type Asker = Pick<Gateway, 'metrics' | 'nowMs'> & { policy: Pick<Gateway['policy'], 'authorize'> };
type Decision = Awaited<ReturnType<Gateway['policy']['authorize']>>;

interface Asking {
  readonly clientGone: boolean;
  readonly trace?: RequestTrace | undefined;
}

/** Asks policy about a request, measures its answer and notes it in the request's trace. */
export async function askPolicy(
  { metrics, nowMs, policy }: Asker,
  exchange: Asking,
  question: AuthorizeRequest,
): Promise<Decision> {
  const startMs = nowMs();
  const asking = askingPolicy(exchange.trace);
  const decision = await policy.authorize(
    asking ? { ...question, trace: asking.told } : question,
    exchange,
  );
  const code = decision.denial?.code ?? 'allow';
  const endMs = nowMs();
  metrics.decision(code, endMs - startMs);
  if (asking) noteDecision(exchange.trace, asking, code, { startMs, endMs });
  return decision;
}
