// Refusals of the runner itself. It is a part of the gateway, so its words are for the client.

import { gatewayError, type ErrorCode, type GatewayError } from '@tollgate/contracts';

import { objectOf, textOf } from '../../formats/json';
import { parseEventObject } from '../../formats/sse';
import type { UpstreamAnswer } from '../../upstream/call';
import { retryAfterOf } from './answer-verdict';

const BODY_BYTES = 16 * 1024;
const MESSAGE_CHARACTERS = 2_000;

const CODES: Readonly<Record<number, ErrorCode | undefined>> = {
  // The edge and the runner do not agree about their tokens.
  401: 'dependency_unavailable',
  403: 'dependency_unavailable',
  429: 'rate_limit_exceeded',
  503: 'overloaded',
  504: 'upstream_timeout',
};

/** Undefined: the answer is the server's, or one that clients understand, such as 404 for a session. */
export async function runnerRefusalOf(answer: UpstreamAnswer): Promise<GatewayError | undefined> {
  const { headers, status } = answer;
  const code = CODES[status] ?? (status >= 500 ? 'upstream_error' : undefined);
  if (code === undefined) return undefined;
  if (code === 'dependency_unavailable') {
    return gatewayError(code, undefined, { details: { dependency: 'runner' } });
  }
  const message = messageIn(await readStart(answer));
  return gatewayError(code, message, {
    details: { resource: 'mcp runner' },
    retryAfterMs: retryAfterOf(headers),
  });
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
