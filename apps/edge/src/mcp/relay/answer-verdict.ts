// What becomes of an upstream's answer, by its status and content type. Pure.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { UpstreamHeaders } from '../../formats';
import type { UpstreamFailure } from '../../upstream/failure';

/** What the answer was asked for with. */
export type Asked = 'request' | 'stream' | 'message';

export type BodyKind = 'events' | 'json' | 'other';

export function bodyKindOf(headers: UpstreamHeaders): BodyKind {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  switch (type.trim().toLowerCase()) {
    case 'text/event-stream':
      return 'events';
    case 'application/json':
      return 'json';
    default:
      return 'other';
  }
}

/**
 * The error that the client gets instead of the answer; undefined: the answer is passed on, as are the
 * refusals by which clients find out what a server supports.
 */
export function refusalOf(
  status: number,
  headers: UpstreamHeaders,
  asked: Asked,
): GatewayError | undefined {
  const details = { upstreamStatus: status };
  if (status === 401 || status === 403) {
    const text =
      "The MCP server refused the gateway's own credentials. An administrator has to correct the authentication of the server.";
    return gatewayError('provider_auth_failed', text, { details });
  }
  if (status === 429) {
    const text = 'The MCP server is limiting its traffic. Wait a little and send it again.';
    const retryAfterMs = retryAfterOf(headers);
    return gatewayError('upstream_rate_limited', text, { details, retryAfterMs });
  }
  if (status >= 500) {
    return gatewayError('upstream_error', `The MCP server failed with the status ${status}.`, {
      details,
    });
  }
  if (status >= 300 && status < 400) {
    const text = `The MCP server answered with a redirect (${status}), which the gateway does not follow. An administrator has to correct the URL of the server.`;
    return gatewayError('upstream_error', text, { details });
  }
  if (status >= 400 || asked === 'message') return undefined;
  const kind = bodyKindOf(headers);
  if (kind === 'events' || (kind === 'json' && asked === 'request')) return undefined;
  const text = 'The answer of the MCP server is neither JSON nor a stream of events.';
  return gatewayError('upstream_error', text, { details });
}

/** Waits of more than this are of no use to a client. */
const RETRY_AFTER_SECONDS_MOST = 86_400;

export function retryAfterOf(headers: UpstreamHeaders): number | undefined {
  const seconds = Number(headers['retry-after']);
  return seconds > 0 && seconds <= RETRY_AFTER_SECONDS_MOST ? seconds * 1_000 : undefined;
}

/** The failure of a call in words about MCP servers. */
export function failureError({ error, outcome, status }: UpstreamFailure): GatewayError {
  const sentence = SENTENCES[outcome];
  // An address that the gateway must not connect to has a sentence of its own.
  if (sentence === undefined || error.code === 'provider_misconfigured') return error;
  const details = status > 0 ? { upstreamStatus: status } : undefined;
  return gatewayError(error.code, sentence, { cause: error, details });
}

const SENTENCES: Readonly<Partial<Record<UpstreamFailure['outcome'], string>>> = {
  TIMEOUT: 'The MCP server did not answer in time. Send the request again.',
  NETWORK: 'The MCP server could not be reached.',
  EARLY_END: 'The MCP server broke off its answer.',
  INVALID_RESPONSE: 'The answer of the MCP server could not be read.',
};
