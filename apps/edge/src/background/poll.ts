import { isOneOf, PROVIDER_TYPES, UPSTREAM_FORMATS } from '@tollgate/contracts';

import type { BackgroundResponse } from '../exchange/background-response';
import type { Gateway } from '../exchange/gateway';
import { objectIn } from '../operations/answer';
import { finalUse, type FinalUse } from '../operations/background-use';
import { openAnswer, type AnswerBody } from '../upstream/answer-body';
import { startCall, type UpstreamAnswer } from '../upstream/call';
import { endpointOf, providerRulesOf } from '../upstream/endpoints';
import { readAll, readRefusal } from '../upstream/read-answer';
import { buildCall } from '../upstream/request';

export type Polled =
  | { kind: 'ended'; final: FinalUse }
  /** The provider no longer has the response. */
  | { kind: 'gone' }
  /** The provider still works on it, was unreachable, or sent something else. */
  | { kind: 'open' };

type PollGateway = Pick<Gateway, 'answers' | 'connections' | 'json' | 'limits' | 'log' | 'random'>;

/** Asks the provider for the state of a response. Never rejects. */
export async function pollResponse(
  gateway: PollGateway,
  { asked, candidate, responseId }: BackgroundResponse,
): Promise<Polled> {
  const { providerId, connectionVersion, providerType, upstreamFormat, upstreamModel } = candidate;
  const { nativeResponses } = candidate;
  try {
    if (!isOneOf(PROVIDER_TYPES, providerType) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) {
      return { kind: 'open' };
    }
    const endpoint = endpointOf(providerType, upstreamFormat, 'response_retrieve', nativeResponses);
    if (!endpoint) return { kind: 'gone' };
    const connection = await gateway.connections.get(providerId, connectionVersion);
    const keyIndex = connection.keys.draw(upstreamModel, gateway.random(), undefined) ?? 0;
    const call = startCall(
      buildCall({
        connection,
        endpoint,
        providerRules: providerRulesOf(providerType, upstreamFormat),
        model: upstreamModel,
        payload: {
          body: '',
          contentType: '',
          accept: 'application/json',
          dropped: [],
          place: { ids: { response_id: responseId }, query: '' },
        },
        stream: false,
        forwarded: {},
        responseLimitBytes: gateway.limits.answerBytes,
        keyIndex,
      }),
    );
    try {
      return await polled(gateway, await call.answer, asked.inputTokensEstimate);
    } finally {
      // An answer that was not read to its end would keep its connection.
      call.abort();
    }
  } catch (error) {
    gateway.log.debug('could not poll a background response', {
      providerId,
      error: error instanceof Error ? error.message : String(error),
    });
    return { kind: 'open' };
  }
}

async function polled(
  gateway: PollGateway,
  answer: UpstreamAnswer,
  inputTokens: number,
): Promise<Polled> {
  if (answer.status >= 300) {
    await readRefusal(answer);
    return { kind: answer.status === 404 ? 'gone' : 'open' };
  }
  const final = finalUse(objectIn(await readWhole(gateway, answer)), inputTokens);
  return final ? { kind: 'ended', final } : { kind: 'open' };
}

// Many responses may be polled at once, and each answer holds the whole output so far. The limits
// of all buffered answers therefore apply.
async function readWhole(
  { answers, json, limits }: PollGateway,
  answer: UpstreamAnswer,
): Promise<AnswerBody> {
  const lease = answers.open();
  lease.confirm();
  try {
    const bytes = await readAll(answer, {
      limitBytes: limits.answerBytes,
      takeRoom: (more) => (lease.take(more) ? undefined : lease.takeSoon(more)),
    });
    const contentType = String(answer.headers['content-type'] ?? '');
    return await openAnswer(json, bytes, { contentType, countsOnly: false });
  } finally {
    lease.release();
  }
}
