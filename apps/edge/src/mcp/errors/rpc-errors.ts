// The gateway's errors as JSON-RPC. The specification of MCP leaves the codes from -32000 to -32019 to
// implementations. -32002 is avoided: earlier revisions have it for resources that do not exist.

import { ERRORS, type ErrorCode, type GatewayError } from '@tollgate/contracts';

import type { EncodedError } from '../../formats';
import { errorHeaders } from '../../formats/error-headers';
import { present } from '../../formats/json';
import type { RequestId } from '../message/read-message';

const INTERNAL = -32_019;

/** A row a code. Codes about models do not occur on this route. */
const RPC_CODES: Readonly<Record<ErrorCode, number>> = {
  invalid_request: -32_000,
  mcp_session_not_found: -32_001,
  missing_api_key: -32_003,
  invalid_api_key: -32_003,
  mcp_access_denied: -32_004,
  region_not_allowed: -32_004,
  passthrough_denied: -32_004,
  mcp_tool_changed: -32_005,
  budget_exceeded: -32_006,
  rate_limit_exceeded: -32_007,
  quota_exceeded: -32_008,
  overloaded: -32_009,
  dependency_unavailable: -32_010,
  upstream_error: -32_011,
  upstream_timeout: -32_012,
  provider_auth_failed: -32_013,
  provider_misconfigured: -32_014,
  upstream_rate_limited: -32_015,
  upstream_rejected: -32_016,
  plugin_blocked: -32_017,
  content_blocked: -32_017,
  route_not_found: -32_018,
  internal_error: INTERNAL,
  model_not_found: INTERNAL,
  provider_mismatch: INTERNAL,
  unsupported_model: INTERNAL,
  unsupported_parameter: INTERNAL,
  model_access_denied: INTERNAL,
  stored_object_not_found: INTERNAL,
  websocket_disabled: INTERNAL,
};

/** What an error answers. */
export interface ErrorContext {
  requestId: string;
  /** The trace that the request belongs to. Absent or empty: none. */
  traceId?: string | undefined;
  /** Of the client's JSON-RPC request; undefined: it is unknown, or there is none. */
  rpcId: RequestId | undefined;
  /** How the client can authenticate; undefined: by a key, if that is what lacks. */
  challenge?: string | undefined;
  /** Instead of the code in the table. */
  rpcCode?: number | undefined;
}

export function rpcErrorOf(
  { code, message, param, details }: GatewayError,
  { requestId, rpcCode = RPC_CODES[code], rpcId, traceId }: ErrorContext,
) {
  return {
    jsonrpc: '2.0',
    id: rpcId ?? null,
    error: {
      code: rpcCode,
      message,
      data: { code, requestId, ...present({ traceId: traceId || undefined, param, details }) },
    },
  };
}

export function encodeRpcError(error: GatewayError, context: ErrorContext): EncodedError {
  const { status } = ERRORS[error.code];
  const challenge = context.challenge ?? (status === 401 ? 'Bearer' : undefined);
  return {
    status,
    headers: {
      ...errorHeaders(error, context.requestId),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    },
    body: rpcErrorOf(error, context),
  };
}

/** An error after the first event of a stream: the message that ends it. */
export function encodeRpcErrorEvent(error: GatewayError, context: ErrorContext): string {
  return `event: message\ndata: ${JSON.stringify(rpcErrorOf(error, context))}\n\n`;
}
