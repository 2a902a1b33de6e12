import { gatewayError, type GatewayError } from '@tollgate/contracts';

/** How an attempt ended, in the words of its record. An answered refusal is `HTTP_<status>`. */
export type AttemptOutcome =
  | 'OK'
  | `HTTP_${number}`
  | 'TIMEOUT'
  | 'NETWORK'
  | 'EARLY_END'
  | 'ABORTED'
  | 'INVALID_RESPONSE'
  | 'UPSTREAM_ERROR';

/** An attempt that brought no usable answer, and what the client is told of it. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';

  constructor(
    readonly outcome: AttemptOutcome,
    readonly error: GatewayError,
  ) {
    super(error.message, { cause: error });
  }
}

export function timedOut(what: string): UpstreamFailure {
  return new UpstreamFailure(
    'TIMEOUT',
    gatewayError('upstream_timeout', `The provider did not answer in time (${what}).`),
  );
}

export function aborted(): UpstreamFailure {
  return new UpstreamFailure('ABORTED', gatewayError('upstream_error', 'The call was given up.'));
}

export function tooLarge(limitBytes: number): UpstreamFailure {
  const text = `The provider's answer is larger than ${limitBytes} bytes.`;
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}

export function garbled(text: string): UpstreamFailure {
  return new UpstreamFailure('INVALID_RESPONSE', gatewayError('upstream_error', text));
}

/** undici's error codes, told apart by what the client should hear. */
const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connecting',
  UND_ERR_HEADERS_TIMEOUT: 'first byte',
  UND_ERR_BODY_TIMEOUT: 'silence within the answer',
  ETIMEDOUT: 'network',
};

/** Messages of the network stay out of the answer: they name addresses. */
export function networkFailure(error: unknown, answerBegan: boolean): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const cause = error as { code?: string; cause?: unknown };
  if (cause.cause instanceof UpstreamFailure) return cause.cause;
  const timeout = TIMEOUTS[cause.code ?? ''];
  if (timeout !== undefined) return timedOut(timeout);
  const outcome = answerBegan ? 'EARLY_END' : 'NETWORK';
  const text = answerBegan
    ? 'The provider broke off its answer.'
    : 'The provider could not be reached.';
  return new UpstreamFailure(outcome, gatewayError('upstream_error', text, { cause: error }));
}
