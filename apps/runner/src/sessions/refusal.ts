import { RUNNER_REFUSAL_HEADER, type RunnerRefusal } from '@tollgate/contracts';

/** Why a request is not served. Its message is for the client. */
export interface Refusal {
  readonly status: number;
  readonly code: RunnerRefusal;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** The code that clients of the official SDKs know for a lost session. */
const SESSION_LOST = -32_001;
const OTHER = -32_000;

/** `id`: of the request, as its JSON text; undefined: the request is not known. */
export function refusalText(refusal: Refusal, id = 'null'): string {
  const code = refusal.code === 'session_not_found' ? SESSION_LOST : OTHER;
  const { message } = refusal;
  const error = JSON.stringify({ code, message, data: { code: refusal.code } });
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}

/** Tells the edge that it is not the server that refuses. */
export function refusalHeaders({ code }: Pick<Refusal, 'code'>): Record<string, string> {
  return { [RUNNER_REFUSAL_HEADER]: code };
}

export const SERVER_BUSY: Refusal = {
  status: 503,
  code: 'server_busy',
  message: 'The MCP server does not read its messages fast enough. Retry later.',
  retryAfterMs: 1_000,
};

export const SESSION_NOT_FOUND: Refusal = {
  status: 404,
  code: 'session_not_found',
  message: 'The session has ended or never existed. Initialize a new one.',
};

/** Of a request that its server says nothing about. */
export const SERVER_SILENT: Refusal = {
  status: 504,
  code: 'server_silent',
  message: 'The MCP server has said nothing about the request for too long.',
};

export function serverEnded(reason: string): Refusal {
  return {
    status: 502,
    code: 'server_ended',
    message: `The MCP server ended before it answered: ${reason}.`,
  };
}
