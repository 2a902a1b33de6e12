// How the runner authenticates to servers of the transport SSE. The token of an OAuth client is shared by
// all sessions of a server, and renewed once for all of them.
import {
  readTokenAnswer,
  TOKEN_ANSWER_BYTES,
  tokenRequest,
  type AddressRules,
  type McpAuth__Output,
  type TokenClient,
} from '@tollgate/contracts/node';
import { createTokenSource, type IssuedToken } from '@tollgate/kit';
import { request } from 'undici';

import { createSseAgent } from './sse-agent';

export interface SseAuth {
  /** Rejects when no token can be had. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** The server refused these headers with 401. True: others can be had. */
  readonly refused: (headers: Readonly<Record<string, string>>) => boolean;
}

export interface SseAuthDeps {
  readonly rules: AddressRules;
  readonly connectMs: number;
  readonly nowMs: () => number;
}

const ANSWER_MS = 10_000;
const SECRET_PLACE = '{{secret}}';
const BEARER = 'Bearer ';

/** Undefined: the kind of authentication is unknown, or lacks its secret. */
export function createSseAuth(
  auth: McpAuth__Output | null,
  secret: string | undefined,
  deps: SseAuthDeps,
): SseAuth | undefined {
  const type = auth?.type ?? 'NONE';
  if (type === 'NONE') return fixed({});
  if (secret === undefined || auth === null) return undefined;
  switch (type) {
    case 'BEARER':
      return fixed({ authorization: `${BEARER}${secret}` });
    case 'HEADER': {
      const value = auth.template.replace(SECRET_PLACE, () => secret);
      return fixed({ [auth.header.toLowerCase()]: value });
    }
    case 'OAUTH_CLIENT_CREDENTIALS': {
      const { clientId, resource, scope, tokenUrl } = auth;
      if (!/^https?:\/\//.test(tokenUrl) || !URL.canParse(tokenUrl)) return undefined;
      const client = { clientId, clientSecret: secret, resource, scope };
      const tokens = createTokenSource({
        request: () => requestToken(new URL(tokenUrl), client, deps),
        nowMs: deps.nowMs,
      });
      return {
        headers: async () => ({ authorization: `${BEARER}${await tokens.get()}` }),
        refused: ({ authorization = '' }) => tokens.refused(authorization.slice(BEARER.length)),
      };
    }
    default:
      return undefined;
  }
}

function fixed(headers: Readonly<Record<string, string>>): SseAuth {
  return { headers: async () => headers, refused: () => false };
}

/** Redirects are not followed, because they would send the client's secret elsewhere. */
async function requestToken(
  url: URL,
  client: TokenClient,
  { connectMs, rules }: SseAuthDeps,
): Promise<IssuedToken> {
  const agent = createSseAgent(url, connectMs, rules);
  try {
    const { body, statusCode } = await request(url, {
      ...tokenRequest(client),
      dispatcher: agent,
      method: 'POST',
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > TOKEN_ANSWER_BYTES) throw new Error('its token endpoint answered too much');
      chunks.push(chunk);
    }
    const issued = statusCode === 200 && readTokenAnswer(Buffer.concat(chunks).toString('utf8'));
    if (!issued) throw new Error(`its token endpoint gave no token (status ${statusCode})`);
    return issued;
  } finally {
    await agent.destroy();
  }
}
