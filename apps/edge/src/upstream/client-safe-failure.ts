// Splits an upstream failure into what the client reads and what only the operator reads.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import { HANDLING } from '../error-handling';
import { present } from '../formats/json';
import { UpstreamError } from '../formats/upstream-error';
import type { UpstreamFailure } from './failure';
import type { Redact } from './redact';

/** Limits of an upstream's message, and of each of its codes. */
const MESSAGE_CHARACTERS = 2_000;
const WORD_CHARACTERS = 128;
/** Of a message in a usage record. */
const RECORDED_CHARACTERS = 300;

export interface ClientSafeFailure {
  failure: UpstreamFailure;
  /** For the log: without secrets, and of limited length. Undefined: the gateway wrote the error. */
  upstreamMessage: string | undefined;
}

/** Returns the failure without anything that a client must not read. */
export function clientSafeFailure(failure: UpstreamFailure, redact: Redact): ClientSafeFailure {
  const { error } = failure;
  const message = shortened(redact(error.message), MESSAGE_CHARACTERS);
  const own = !(error instanceof UpstreamError);
  if (own && message === error.message) return { failure, upstreamMessage: undefined };
  const relayed = own || HANDLING[error.code].relaysUpstreamWords;
  const clientError = gatewayError(
    error.code,
    relayed ? message : undefined,
    present({
      param: relayed ? wordOf(error.param, redact) : undefined,
      details: relayed ? wordsIn(error, redact) : statusIn(error),
      retryAfterMs: error.retryAfterMs,
    }),
  );
  return { failure: failure.withError(clientError), upstreamMessage: own ? undefined : message };
}

/** A message as a usage record keeps it: one line of limited length. */
export function recordedMessage(message: string): string {
  const line = message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.slice(0, RECORDED_CHARACTERS).toWellFormed();
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
