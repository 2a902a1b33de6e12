// Refusals of the runner itself. It is a part of the gateway, so its words are for the client.

import {
  gatewayError,
  RUNNER_REFUSAL_HEADER,
  type ErrorCode,
  type GatewayError,
  type RunnerRefusal,
} from '@tollgate/contracts';

import { objectOf, textOf } from '../../formats/json';
import { parseEventObject } from '../../formats/sse';
import type { UpstreamAnswer } from '../../upstream/call';
import { retryAfterOf } from './answer-verdict';

const BODY_BYTES = 16 * 1024;
const MESSAGE_CHARACTERS = 2_000;

/** `passed`: clients understand the answer as it is. */
const CODES: Readonly<Record<RunnerRefusal, ErrorCode | 'passed'>> = {
  catalog_unavailable: 'dependency_unavailable',
  invalid_request: 'invalid_request',
  method_not_allowed: 'passed',
  // The edge and the runner do not agree about their paths, or about their tokens.
  not_found: 'dependency_unavailable',
  unauthorized: 'dependency_unavailable',
  server_busy: 'overloaded',
  server_ended: 'upstream_error',
  // The server's row and the runner's own file do not fit together.
  server_refused: 'provider_misconfigured',
  server_silent: 'upstream_timeout',
  session_not_found: 'mcp_session_not_found',
  too_many_sessions: 'overloaded',
};

/** Statuses of whatever is in front of a runner that is away, or that takes the edge for someone else. */
const NO_RUNNER: ReadonlySet<number> = new Set([401, 403, 502, 503, 504]);
/** Whatever the reason is, these say when to come back. */
const BY_STATUS: Readonly<Record<number, ErrorCode | undefined>> = {
  429: 'rate_limit_exceeded',
  503: 'overloaded',
};

/** Undefined: the answer is the server's, or one that clients understand. */
export async function runnerRefusalOf(answer: UpstreamAnswer): Promise<GatewayError | undefined> {
  const { headers, status } = answer;
  if (status < 400) return undefined;
  const word = String(headers[RUNNER_REFUSAL_HEADER] ?? '');
  if (!isRefusal(word)) return NO_RUNNER.has(status) ? away('runner') : undefined;
  const code = CODES[word];
  switch (code) {
    case 'passed':
      return undefined;
    case 'dependency_unavailable':
      return away(word === 'catalog_unavailable' ? 'catalog' : 'runner');
    case 'mcp_session_not_found':
      return gatewayError(code);
    default:
      return gatewayError(BY_STATUS[status] ?? code, messageIn(await readStart(answer)), {
        details: { resource: 'mcp runner' },
        retryAfterMs: retryAfterOf(headers),
      });
  }
}

function isRefusal(word: string): word is RunnerRefusal {
  return Object.hasOwn(CODES, word);
}

function away(dependency: 'catalog' | 'runner'): GatewayError {
  return gatewayError('dependency_unavailable', undefined, { details: { dependency } });
}

function messageIn(body: string): string | undefined {
  const error = objectOf(parseEventObject(body)?.['error']);
  return textOf(error?.['message'])?.slice(0, MESSAGE_CHARACTERS);
}

/** Resolves with the body; empty if it is large, or breaks off. */
function readStart({ read }: UpstreamAnswer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    read({
      data: (chunk) => {
        bytes += chunk.length;
        if (bytes > BODY_BYTES) resolve('');
        else chunks.push(chunk);
        return bytes <= BODY_BYTES;
      },
      end: () => resolve(Buffer.concat(chunks).toString('utf8')),
      fail: () => resolve(''),
    });
  });
}
