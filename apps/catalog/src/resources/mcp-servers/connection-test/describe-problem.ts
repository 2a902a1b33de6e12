import { connectFailure, quotable, sayingOf } from '../../providers/upstream/failures';
import type { Problem } from './bounded-fetch';

/** Says why a connection test failed, naming the setting to check. */

export interface FailedTest {
  readonly error: unknown;
  readonly problem: Problem | undefined;
  /** What no message may repeat. */
  readonly secret: string | null;
  /** The setting that has the address. */
  readonly field: 'url' | 'auth.tokenUrl' | 'RUNNER_URL';
}

const OWN_MESSAGES: Readonly<Record<string, (field: string) => string>> = {
  COMPRESSED: (field) =>
    `The answer is compressed although the gateway does not accept that. Check ${field}.`,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: (field) =>
    `The answers are larger than a test reads. Check ${field}.`,
};

export function describeProblem({ error, problem, secret, field }: FailedTest): string {
  if (problem?.kind === 'refused') return describeRefusal(problem, secret, field);
  // The client ends its own requests when another one has failed.
  if (problem?.kind === 'failed' && nameOf(problem.error) !== 'AbortError') {
    const own = OWN_MESSAGES[codeOf(problem.error)];
    if (own !== undefined) return own(field);
    return connectFailure(problem.error).message.replaceAll('baseUrl', field);
  }
  if (nameOf(error) === 'TimeoutError') return 'The server did not answer in time.';
  const said = quotable(error instanceof Error ? error.message : '', secret);
  return said === ''
    ? `The answer is not one of an MCP server. Check ${field}.`
    : `The answer is not what a client expects. Check ${field}. The client says: ${said}`;
}

type Refusal = Extract<Problem, { kind: 'refused' }>;

function describeRefusal(
  { status, text }: Refusal,
  secret: string | null,
  field: FailedTest['field'],
): string {
  const said = sayingOf(text, secret);
  const message = refusalMessage(status, secret, field);
  return said === '' ? message : `${message} The server says: ${said}`;
}

function refusalMessage(status: number, secret: string | null, field: FailedTest['field']): string {
  if (field === 'auth.tokenUrl' && status >= 400 && status < 500) {
    return `The token endpoint rejects the client with status ${status}. Check auth and the secret.`;
  }
  if (status === 401 || status === 403) {
    return secret === null
      ? 'The server requires authentication. Set auth and a secret.'
      : 'The server rejects the credentials. Check auth and the secret.';
  }
  if (status >= 300 && status < 400) {
    return `The server redirects, and redirects are not followed. Correct ${field}.`;
  }
  if (status === 404 || status === 405)
    return `There is no MCP server at this address. Check ${field}.`;
  if (status === 429) return 'The server limits the traffic of the gateway. Try again later.';
  if (status >= 500) return `The server failed with status ${status}. Try again in a moment.`;
  return `The server rejects the request with status ${status}. Check ${field}.`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
