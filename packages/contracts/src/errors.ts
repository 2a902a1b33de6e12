// Every error code, with its HTTP status: the data plane's table, then the management API's.

export interface ErrorRow {
  readonly status: number;
  /** The status on routes in a vendor's format, where vendors use another one. */
  readonly vendorStatus?: number;
  /** For the person who gets the error: what happened, and what to do. */
  readonly sentence: string;
  /** Whether a retry of the same request may succeed; if not, SDKs are told so. */
  readonly retryable: boolean;
}

/** Ends the text of a refusal whose wait is short; a long one is stated in its place. */
export const SHORT_WAIT = 'Wait a little and send it again.';

const DATA_PLANE = {
  invalid_request: {
    status: 400,
    sentence: 'The request is not valid. Correct the field that the message names.',
    retryable: false,
  },
  model_not_found: {
    status: 400,
    vendorStatus: 404,
    sentence:
      'No model of this name exists in your organisation. List the models your key may use with GET /v1/models.',
    retryable: false,
  },
  provider_mismatch: {
    status: 400,
    sentence:
      'The model is not served by the provider that the request or the route asks for. Leave `provider` out, or choose a route or model that fits. The organisation’s setting `openCompatRoutes` opens the routes of one provider to all others.',
    retryable: false,
  },
  unsupported_model: {
    status: 400,
    sentence:
      'A model of this type, or of this provider, cannot do this operation. Choose a model made for it.',
    retryable: false,
  },
  unsupported_parameter: {
    status: 400,
    sentence:
      'The provider of this model cannot honour a parameter of the request. Remove the parameter that the message names, or send the request without `x-tollgate-strict: true` to have it dropped.',
    retryable: false,
  },
  provider_misconfigured: {
    status: 400,
    sentence:
      'The provider of this model is not set up completely. An administrator has to correct its settings.',
    retryable: false,
  },
  upstream_rejected: {
    status: 400,
    sentence:
      "The provider refused the request; the message is the provider's own. Correct the request.",
    retryable: false,
  },
  missing_api_key: {
    status: 401,
    sentence: 'No API key was sent. Send one as `Authorization: Bearer <key>`.',
    retryable: false,
  },
  invalid_api_key: {
    status: 401,
    sentence:
      'The API key is not valid: unknown, expired, revoked, or its owner is no longer active. Use another key.',
    retryable: false,
  },
  budget_exceeded: {
    status: 402,
    sentence:
      'The request would exceed a budget. Wait for the window that `details` names to end, or ask an administrator to raise the budget.',
    retryable: false,
  },
  model_access_denied: {
    status: 403,
    sentence: 'This API key may not use the model. Ask an administrator to grant it.',
    retryable: false,
  },
  region_not_allowed: {
    status: 403,
    sentence:
      'Neither the provider nor the MCP server is in a region that this request may use; nothing was sent. `details` has the allowed regions. Choose another model or server, or ask an administrator.',
    retryable: false,
  },
  mcp_access_denied: {
    status: 403,
    sentence: 'This API key may not use the MCP server. Ask an administrator to grant it.',
    retryable: false,
  },
  passthrough_denied: {
    status: 403,
    sentence:
      'This API key may not call this endpoint of the provider. Check the method and the path, or ask an administrator for a passthrough rule.',
    retryable: false,
  },
  mcp_tool_changed: {
    status: 403,
    sentence:
      'The MCP server has changed the definition of this tool since it was pinned. An administrator has to review the new definition and pin it again.',
    retryable: false,
  },
  plugin_blocked: {
    status: 403,
    sentence: 'A plugin of your organisation blocked the request. Ask an administrator why.',
    retryable: false,
  },
  content_blocked: {
    status: 403,
    sentence: 'Safety screening blocked the content. Change the content of the request.',
    retryable: false,
  },
  route_not_found: {
    status: 404,
    sentence: 'No such route. Check the method and the path.',
    retryable: false,
  },
  mcp_session_not_found: {
    status: 404,
    sentence:
      'The session of the MCP server has ended, or belongs to another key or server. Send `initialize` again without `Mcp-Session-Id`.',
    retryable: false,
  },
  stored_object_not_found: {
    status: 404,
    sentence:
      'No stored response, conversation or output item with this id can be used with this key: it was never made, was deleted, is older than 30 days (a conversation: was not used for 30 days), or belongs to another team or user. Check the id, or use a key of its owner.',
    retryable: false,
  },
  websocket_disabled: {
    status: 426,
    sentence:
      'This gateway takes no WebSocket connections on this path. Send the request over HTTP, which most clients fall back to.',
    retryable: false,
  },
  rate_limit_exceeded: {
    status: 429,
    sentence: `Too many requests or tokens in a short time. ${SHORT_WAIT}`,
    retryable: true,
  },
  quota_exceeded: {
    status: 429,
    sentence:
      'The request would exceed a quota. Wait for the window that `details` names to end, or ask an administrator to raise the quota.',
    retryable: false,
  },
  upstream_rate_limited: {
    status: 429,
    sentence: `The provider is limiting its own traffic. ${SHORT_WAIT}`,
    retryable: true,
  },
  internal_error: {
    status: 500,
    sentence:
      'The gateway failed. Send the request again; if it keeps failing, report the request id.',
    retryable: true,
  },
  upstream_error: {
    status: 502,
    sentence: 'The provider failed, or its answer could not be understood. Send the request again.',
    retryable: true,
  },
  upstream_timeout: {
    status: 502,
    sentence: 'The provider did not answer in time. Send the request again.',
    retryable: true,
  },
  provider_auth_failed: {
    status: 502,
    sentence:
      "The provider refused the gateway's own credentials, or its account has no credit. An administrator has to correct the provider's API key or settle its billing.",
    retryable: false,
  },
  overloaded: {
    status: 503,
    sentence:
      'The gateway has as much work as it can take right now. Wait as long as `Retry-After` says and send the request again.',
    retryable: true,
  },
  dependency_unavailable: {
    status: 503,
    sentence: 'A service that the gateway needs is away. Send the request again in a moment.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorRow>;

const MANAGEMENT = {
  malformed_request: {
    status: 400,
    sentence: 'The body is not valid JSON. Correct it and send it again.',
    retryable: false,
  },
  unauthenticated: {
    status: 401,
    sentence: 'You are not signed in, or your session has ended. Sign in again.',
    retryable: false,
  },
  invalid_credentials: {
    status: 401,
    sentence: 'The email address or the password is wrong.',
    retryable: false,
  },
  forbidden: {
    status: 403,
    sentence: 'Your role does not allow this. Ask an administrator.',
    retryable: false,
  },
  not_found: {
    status: 404,
    sentence: 'There is nothing here, or it belongs to another organisation.',
    retryable: false,
  },
  conflict: {
    status: 409,
    sentence: 'The change conflicts with what is stored. Reload it, then change and save it again.',
    retryable: false,
  },
  precondition_failed: {
    status: 412,
    sentence: 'It has changed since you read it. Read it again and repeat your change.',
    retryable: false,
  },
  payload_too_large: {
    status: 413,
    sentence: 'The body is too large. Send less at once.',
    retryable: false,
  },
  validation_failed: {
    status: 422,
    sentence: 'A field is not valid. `details` names each one and says why.',
    retryable: false,
  },
  too_many_requests: {
    status: 429,
    sentence: `Too many requests in a short time. ${SHORT_WAIT}`,
    retryable: true,
  },
  internal_error: {
    status: 500,
    sentence: 'The service failed. If it keeps failing, report the request id.',
    retryable: true,
  },
  dependency_unavailable: {
    status: 503,
    sentence: 'A service that this one needs is away. Send the request again in a moment.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof DATA_PLANE;
export type RestErrorCode = keyof typeof MANAGEMENT;

/** The statuses of the data plane; formats have a word for each. */
export type ErrorStatus = (typeof DATA_PLANE)[ErrorCode]['status'];
type DataPlaneRow = ErrorRow & {
  readonly status: ErrorStatus;
  readonly vendorStatus?: ErrorStatus;
};

export const ERRORS: Readonly<Record<ErrorCode, DataPlaneRow>> = DATA_PLANE;
export const REST_ERRORS: Readonly<Record<RestErrorCode, ErrorRow>> = MANAGEMENT;

/** The status on a route in a vendor's format. `GatewayError.status` is that of the unified endpoint. */
export function vendorStatusOf(code: ErrorCode): ErrorStatus {
  const { status, vendorStatus = status } = ERRORS[code];
  return vendorStatus;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
