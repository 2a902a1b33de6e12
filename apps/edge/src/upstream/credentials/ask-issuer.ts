// One bounded request to what issues credentials: a token endpoint or a metadata service.

import { issuerCodeIn } from '@tollgate/contracts/node';
import type { Dispatcher } from 'undici';

import { upstreamError, waitOf } from '../../formats/upstream-error';
import { UpstreamFailure } from '../failure';
import { smallCall } from '../small-call';

export interface IssuerRequest {
  /** The issuer in messages for people, as `Google's token endpoint`. */
  readonly issuer: string;
  readonly url: URL;
  readonly dispatcher: Dispatcher;
  /** Absent: POST with a body, GET without one. */
  readonly method?: 'PUT';
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tokens of some issuers have several kilobytes. */
const LIMITS = {
  connectMs: 5_000,
  answerMs: 10_000,
  totalMs: 15_000,
  answerBytes: 64 * 1024,
} as const;

/**
 * The body of a 200. Redirects are not followed, because they would send the credential elsewhere.
 * @throws UpstreamFailure
 */
export async function askIssuer(request: IssuerRequest): Promise<string> {
  const { answer, body } = await exchange(request);
  const text = body.toString('utf8');
  if (answer.status === 200) return text;
  throw issuerRefused(request.issuer, answer.status, text, waitOf(answer.headers));
}

async function exchange(request: IssuerRequest) {
  const { issuer, url, dispatcher, headers } = request;
  const { contentType, body: written } = bodyOf(request);
  try {
    return await smallCall({
      dispatcher,
      url,
      method: request.method ?? (written === '' ? 'GET' : 'POST'),
      headers: { ...contentType, ...headers },
      body: written,
      limits: LIMITS,
    });
  } catch (error) {
    throw error instanceof UpstreamFailure ? unreachable(issuer, error) : error;
  }
}

function bodyOf({ form, json }: IssuerRequest) {
  if (form) {
    const contentType = { 'content-type': 'application/x-www-form-urlencoded' };
    return { contentType, body: new URLSearchParams(form).toString() };
  }
  if (json) {
    return { contentType: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  }
  return { contentType: {}, body: '' };
}

const ADVICE = 'An administrator has to check the identity of the provider.';

/** No credential can be had: the identity is at fault. The client reads only that authentication failed. */
export function noCredential(problem: string, status = 0): UpstreamFailure {
  const text = `The gateway got no credentials for the provider: ${problem}. ${ADVICE}`;
  const details = status === 0 ? {} : { upstreamStatus: status };
  const error = upstreamError('provider_auth_failed', text, { details });
  return new UpstreamFailure(status === 0 ? 'INVALID_RESPONSE' : `HTTP_${status}`, error, {
    sent: false,
    // Another key of the provider may do, as after a refusal of the provider itself.
    status: 401,
  });
}

/** Only the code of an error is kept: its description may quote the request. */
function issuerRefused(
  issuer: string,
  status: number,
  body: string,
  retryAfterMs: number | undefined,
): UpstreamFailure {
  const said = issuerCodeIn(body);
  const words = said === undefined ? `status ${status}` : `status ${status} (${said})`;
  if (status === 429 || status >= 500) {
    const text = `${issuer} answered with ${words}, so the gateway has no credentials for the provider.`;
    const error = upstreamError('upstream_error', text, { details: { upstreamStatus: status } });
    return new UpstreamFailure(`HTTP_${status}`, error, { sent: false, retryAfterMs });
  }
  return noCredential(`${issuer} answered with ${words}`, status);
}

function unreachable(issuer: string, failure: UpstreamFailure): UpstreamFailure {
  const { code } = failure.error;
  if (code === 'provider_misconfigured') {
    return noCredential(`the gateway may not connect to the address of ${issuer}`);
  }
  const late = failure.outcome === 'TIMEOUT';
  const text = `${issuer} ${late ? 'did not answer in time' : 'could not be reached'}, so the gateway has no credentials for the provider.`;
  const error = upstreamError(late ? 'upstream_timeout' : 'upstream_error', text, {});
  return new UpstreamFailure(late ? 'TIMEOUT' : 'NETWORK', error, { sent: false });
}
