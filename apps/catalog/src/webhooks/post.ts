import type { AddressRules } from '@tollgate/contracts/node';
import { request, type Dispatcher } from 'undici';

import { connectionFault, createGuardedAgent, type ConnectionFaultCode } from '../outbound';
import { signatureHeaders } from './sign';

/** One delivery of a webhook. The caller decides whether to repeat it. */

export interface WebhookTarget {
  readonly url: string;
  /** Secrets that sign, the current one first; none: the delivery is not signed. */
  readonly secrets: readonly string[];
}

export interface WebhookMessage {
  /** The same for every delivery of this message. Printable ASCII without a full stop. */
  readonly id: string;
  readonly body: string | Buffer;
  readonly contentType: string;
  /** Further headers, such as `content-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebhookLimits {
  readonly addressRules: AddressRules;
  /** For the whole call, from connecting to the end of the answer. */
  readonly timeoutMs: number;
}

export type WebhookFaultCode = ConnectionFaultCode | 'redirected' | 'gone' | 'rejected';

export type WebhookOutcome =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      readonly code: WebhookFaultCode;
      /** One sentence for the owner of the destination, without anything of the answer's body. */
      readonly message: string;
      readonly status: number | null;
      /** The receiver's `retry-after`, in milliseconds; null: it named none. */
      readonly retryAfterMs: number | null;
    };

/** The status decides. The body is read so that the connection ends well, and is not used. */
const ANSWER_LIMIT_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** A receiver that asks for longer is asked again after this. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

const SENTENCES: Readonly<Record<ConnectionFaultCode, string>> = {
  name_not_found: 'The host of the URL has no address.',
  connect_timed_out: 'The host of the URL does not accept connections in time.',
  timed_out: 'The receiver did not answer in time.',
  tls_failed:
    'The TLS connection failed: the host has an invalid certificate, or does not use TLS.',
  not_http: 'The address does not speak HTTP/1.1. Check the port of the URL.',
  too_large: 'The receiver’s answer is too large.',
  address_refused:
    'The gateway may not connect to the address of the URL. UPSTREAM_ALLOWED_CIDRS allows private networks.',
  not_reachable: 'The host of the URL refused or closed the connection.',
};

/**
 * Posts a message, signed at `nowMs` (milliseconds since 1970). A status of 200 to 299 is a
 * success. Redirects are not followed, and a private address is refused when the socket is opened.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function postWebhook(
  target: WebhookTarget,
  message: WebhookMessage,
  limits: WebhookLimits,
  nowMs: number,
): Promise<WebhookOutcome> {
  const { addressRules, timeoutMs } = limits;
  const agent = createGuardedAgent({
    addressRules,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    responseLimitBytes: ANSWER_LIMIT_BYTES,
  });
  const { id, body, contentType, headers = {} } = message;
  const signature =
    target.secrets.length === 0
      ? { 'webhook-id': id }
      : signatureHeaders({ id, sentAtMs: nowMs, body }, target.secrets);
  try {
    const response = await request(target.url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'user-agent': 'tollgate', ...headers, 'content-type': contentType, ...signature },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body.dump({ limit: ANSWER_LIMIT_BYTES });
    return outcomeOf(response, nowMs);
  } catch (error) {
    const { code, rule } = connectionFault(error);
    const sentence = SENTENCES[code];
    const told = rule === '' ? sentence : `${sentence} Here ${rule}.`;
    return { ok: false, code, message: told, status: null, retryAfterMs: null };
  } finally {
    await agent.destroy();
  }
}

function outcomeOf(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  nowMs: number,
): WebhookOutcome {
  if (status >= 200 && status < 300) return { ok: true, status };
  const fault = {
    ok: false,
    status,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
  } as const;
  if (status >= 300 && status < 400) {
    const message = 'The receiver redirects, and redirects are not followed. Correct the URL.';
    return { ...fault, code: 'redirected', message };
  }
  if (status === 410) {
    const message = 'The receiver answers 410: it wants no more messages.';
    return { ...fault, code: 'gone', message };
  }
  return { ...fault, code: 'rejected', message: `The receiver answers with status ${status}.` };
}

/** Seconds or a date; null without a value that is either. */
function retryAfterMs(value: string | string[] | undefined, nowMs: number): number | null {
  if (typeof value !== 'string') return null;
  const askedMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(askedMs) ? null : Math.min(Math.max(askedMs, 0), RETRY_AFTER_MAX_MS);
}
