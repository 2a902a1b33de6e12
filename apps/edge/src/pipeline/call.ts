import { gatewayError } from '@tollgate/contracts';
import type { Allow__Output } from '@tollgate/contracts/node';
import type { Job } from '../operations';
import { UpstreamFailure } from '../upstream/failure';
import { attemptCandidate, type Answer } from './attempt';
import { ClientGone } from './body';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';
import { plan, type PlannedAnswer } from './plan';

/**
 * Tries the candidates in their order until one has something to send. Nothing has been sent to the
 * client before that, so another one may still be tried.
 * @throws GatewayError of the last failure; ClientGone
 */
export async function call(
  gateway: Gateway,
  exchange: Exchange,
  job: Job,
  allow: Allow__Output,
): Promise<Answer> {
  let failure: UpstreamFailure | undefined;
  for (const planned of plan(gateway, exchange, job, allow)) {
    if (planned.kind === 'own') return ownAnswer(exchange, planned);
    try {
      return await attemptCandidate(gateway, exchange, job, planned);
    } catch (error) {
      if (exchange.clientGone) throw new ClientGone('the client left while the upstream worked');
      if (!(error instanceof UpstreamFailure)) throw error;
      failure = error;
      if (!mayFailOver(failure)) break;
    }
  }
  throw failure?.error ?? gatewayError('provider_misconfigured');
}

function ownAnswer(exchange: Exchange, { candidate, answer }: PlannedAnswer): Answer {
  exchange.used = true;
  return { kind: 'unary', candidate, dropped: [], answered: answer(), attempt: undefined };
}

// The upstream's own failures, not its refusals of this request.
function mayFailOver({ error }: UpstreamFailure): boolean {
  return error.code === 'upstream_error' || error.code === 'upstream_timeout';
}
