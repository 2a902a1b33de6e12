// What a client is told of a failure, and what only the operator is.

import { gatewayError, type ErrorCode, type GatewayError } from '@tollgate/contracts';
import { present } from '../formats/json';
import { UpstreamError } from '../formats/upstream-error';
import type { UpstreamFailure } from './failure';
import type { Redact } from './redact';

/** What concerns the request itself is in the upstream's own words. */
const RELAYED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_rejected',
  'upstream_rate_limited',
]);

/** The longest message of an upstream's, and the longest of its codes. */
const MESSAGE_CHARACTERS = 2_000;
const WORD_CHARACTERS = 128;

export type Told = {
  failure: UpstreamFailure;
  /** The upstream's own words, for the log: without secrets, and bounded. */
  said: string | undefined;
};

/** The same failure with nothing in it that a client must not read. */
export function tellFailure(failure: UpstreamFailure, redact: Redact): Told {
  const { error } = failure;
  const message = shortened(redact(error.message), MESSAGE_CHARACTERS);
  const own = !(error instanceof UpstreamError);
  if (own && message === error.message) return { failure, said: undefined };
  const relayed = own || RELAYED.has(error.code);
  const told = gatewayError(
    error.code,
    relayed ? message : undefined,
    present({
      param: relayed ? wordOf(error.param, redact) : undefined,
      details: relayed ? wordsIn(error, redact) : statusIn(error),
      retryAfterMs: error.retryAfterMs,
    }),
  );
  return { failure: failure.telling(told), said: own ? undefined : message };
}

function statusIn({ details }: GatewayError) {
  const status = details?.['upstreamStatus'];
  return status === undefined ? undefined : { upstreamStatus: status };
}

function wordsIn({ details }: GatewayError, redact: Redact) {
  if (details === undefined) return undefined;
  const rows = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string' ? wordOf(value, redact) : value,
  ]);
  return Object.fromEntries(rows) as GatewayError['details'];
}

function wordOf(word: string | undefined, redact: Redact): string | undefined {
  return word === undefined ? undefined : shortened(redact(word), WORD_CHARACTERS);
}

function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}...`;
}
