import { isOneOf, MCP_OPERATIONS } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';

import { cleanText, isUuid } from './entry-values';

/** What only requests to an MCP server have. */
export interface McpDetails {
  readonly serverId: string;
  /** The server's identifier at the authorise instant. */
  readonly identifier: string;
  readonly method: string;
  /** Tool, prompt or URI of the resource; null: the method names none. */
  readonly name: string | null;
  readonly rpcErrorCode: number | null;
  /** Whether the tool's result has `isError`. */
  readonly isError: boolean;
  readonly protocolVersion: string | null;
  readonly resultType: string | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Hexadecimal. */
  readonly sessionSha256: string | null;
  readonly traceId: string | null;
}

/** The lengths that policy accepts; URIs are the longest names. */
const MAX_NAME = 2_048;
const MAX_METHOD = 128;
const SHA256_BYTES = 32;

/** Null: a request to a model. `fail` gets the name of a field that cannot be booked. */
export function parseMcp(
  { operation, mcp, settle }: Entry__Output,
  fail: (field: string) => never,
): McpDetails | null {
  // An entry that an earlier release set aside has no such field.
  const request = mcp ?? null;
  if ((request !== null) !== isOneOf(MCP_OPERATIONS, operation)) return fail('mcp');
  if (request === null) return null;
  const result = settle?.mcp ?? null;
  const bytes = (count: number, field: string): number =>
    Number.isSafeInteger(count) && count >= 0 ? count : fail(`settle.mcp.${field}`);
  return {
    serverId: isUuid(request.serverId) ? request.serverId : fail('mcp.server_id'),
    identifier: cleanText(request.identifier) ?? '',
    method: cleanText(request.method, MAX_METHOD) ?? fail('mcp.method'),
    name: cleanText(request.name, MAX_NAME),
    rpcErrorCode: result === null || result.rpcErrorCode === 0 ? null : result.rpcErrorCode,
    isError: result?.isError ?? false,
    protocolVersion: cleanText(result?.protocolVersion ?? ''),
    resultType: cleanText(result?.resultType ?? ''),
    requestBytes: bytes(result?.requestBytes ?? 0, 'request_bytes'),
    responseBytes: bytes(result?.responseBytes ?? 0, 'response_bytes'),
    sessionSha256: digestOf(result?.sessionSha256 ?? Buffer.alloc(0), fail),
    traceId: cleanText(result?.traceId ?? ''),
  };
}

/** An entry that was set aside as JSON has its bytes as an object, which `Buffer.from` reads as well. */
function digestOf(bytes: Uint8Array, fail: (field: string) => never): string | null {
  const digest = Buffer.from(bytes);
  if (digest.length === 0) return null;
  return digest.length === SHA256_BYTES
    ? digest.toString('hex')
    : fail('settle.mcp.session_sha256');
}
