import { isOneOf, PROVIDER_TYPES, UPSTREAM_FORMATS } from '@tollgate/contracts';
import type { JsonObject } from '../formats';
import { isObject } from '../formats/json';
import type { Gateway } from '../exchange/gateway';
import { startCall } from '../upstream/call';
import { endpointOf, providerRulesOf } from '../upstream/endpoints';
import { readAll, readRefusal } from '../upstream/read-answer';
import { buildCall } from '../upstream/request';
import type { BackgroundResponse } from '../exchange/background-response';

export type Polled =
  | { kind: 'response'; response: JsonObject }
  /** The provider no longer has the response. */
  | { kind: 'gone' }
  /** The provider was unreachable, or sent something else. */
  | { kind: 'failed' };

const NO_ROOM = (): undefined => undefined;

/** Asks the provider for the state of a response. Never rejects. */
export async function pollResponse(
  gateway: Pick<Gateway, 'connections' | 'limits' | 'log' | 'random'>,
  { candidate, responseId }: BackgroundResponse,
): Promise<Polled> {
  const { providerId, connectionVersion, providerType, upstreamFormat, upstreamModel } = candidate;
  const { nativeResponses } = candidate;
  try {
    if (!isOneOf(PROVIDER_TYPES, providerType) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) {
      return { kind: 'failed' };
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
    const answer = await call.answer;
    if (answer.status >= 300) {
      await readRefusal(answer);
      return answer.status === 404 ? { kind: 'gone' } : { kind: 'failed' };
    }
    const limitBytes = gateway.limits.answerBytes;
    const bytes = await readAll(answer, { limitBytes, takeRoom: NO_ROOM });
    const response: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(response) ? { kind: 'response', response } : { kind: 'failed' };
  } catch (error) {
    gateway.log.debug('could not poll a background response', {
      providerId,
      error: error instanceof Error ? error.message : String(error),
    });
    return { kind: 'failed' };
  }
}
