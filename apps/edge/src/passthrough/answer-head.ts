// The head of an answer that is passed on: few of the provider's headers, and the gateway's own.

import { formatUsd } from '@tollgate/contracts';

import type { UpstreamHeaders } from '../formats';
import { asksForLongWait } from '../formats/upstream-error';
import { requestIdHeaders } from '../reply/answer-headers';
import { headerText, relayedHeader } from '../reply/header-text';
import { limitHeaders, softExceeded } from '../reply/limit-headers';
import type { AdmittedPassthrough, PassthroughGateway } from './exchange';

/** Cookies, rate limits and account ids of the provider concern the gateway's account, and redirects its credential. */
const RELAYED = [
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-language',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
] as const;

export function answerHead(
  gateway: PassthroughGateway,
  { allow, ending, requestId, target }: AdmittedPassthrough,
  headers: UpstreamHeaders,
  { stream }: { stream: boolean },
): Record<string, string> {
  const head = requestIdHeaders(requestId);
  for (const name of RELAYED) {
    const value = headers[name];
    if (typeof value === 'string') head[name] = relayedHeader(value);
  }
  // SDKs would sleep through the whole wait before they retry. Other answers name an interval for polling.
  if (ending.httpStatus >= 400 && asksForLongWait(headers)) {
    delete head['retry-after'];
    head['x-should-retry'] = 'false';
  }
  // A client that knows the length sees when an answer is cut. A packed answer is passed on unpacked.
  const length = headers['content-length'];
  if (length !== undefined && headers['content-encoding'] === undefined) {
    head['content-length'] = String(length);
  }
  head['cache-control'] = stream ? 'no-cache, no-transform' : 'no-store';
  if (stream) head['x-accel-buffering'] = 'no';
  head['x-tollgate-provider'] = headerText(target.providerName);
  head['x-tollgate-held-usd'] = formatUsd(BigInt(allow.heldNanoUsd));
  const { upstreamRequestId } = ending;
  if (upstreamRequestId !== '') {
    head['x-tollgate-upstream-request-id'] = relayedHeader(upstreamRequestId);
  }
  limitHeaders('unified', allow.limits, gateway.wallMs(), 0n, head);
  const passed = softExceeded(allow.limits, allow.softExceeded);
  if (passed !== '') head['x-tollgate-soft-exceeded'] = relayedHeader(passed);
  return head;
}
