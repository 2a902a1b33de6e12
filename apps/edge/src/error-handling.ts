// What the edge does about each error code, beside what the table of contracts says to everybody. Pure: a
// row a code, and no code without a row.

import type { ErrorCode } from '@tollgate/contracts';

export interface ErrorHandling {
  /**
   * Reported for the list of what a key was refused for: a request at fault that policy was not asked
   * about, or that it had allowed.
   */
  reportedForKey: boolean;
  /** It concerns the request itself, so that the client reads the upstream's own words. */
  relaysUpstreamWords: boolean;
  /** How policy is told of such an error within an answer, by whom it blames; null: as of any other. */
  outcomeInAnswer: 'UPSTREAM_REJECTED' | 'UPSTREAM_LIMITED' | null;
  /** The code of a failed response in the responses format, which has few. */
  responsesFailure: 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt';
}

const USUAL: ErrorHandling = {
  reportedForKey: false,
  relaysUpstreamWords: false,
  outcomeInAnswer: null,
  responsesFailure: 'server_error',
};
const REFUSED_HERE: ErrorHandling = { ...USUAL, reportedForKey: true };

export const HANDLING: Readonly<Record<ErrorCode, ErrorHandling>> = {
  invalid_request: REFUSED_HERE,
  model_not_found: USUAL,
  provider_mismatch: USUAL,
  unsupported_model: REFUSED_HERE,
  unsupported_parameter: REFUSED_HERE,
  provider_misconfigured: REFUSED_HERE,
  upstream_rejected: {
    ...USUAL,
    relaysUpstreamWords: true,
    outcomeInAnswer: 'UPSTREAM_REJECTED',
    responsesFailure: 'invalid_prompt',
  },
  missing_api_key: USUAL,
  invalid_api_key: USUAL,
  budget_exceeded: USUAL,
  model_access_denied: USUAL,
  region_not_allowed: USUAL,
  mcp_access_denied: USUAL,
  passthrough_denied: USUAL,
  mcp_tool_changed: REFUSED_HERE,
  plugin_blocked: USUAL,
  content_blocked: { ...USUAL, responsesFailure: 'invalid_prompt' },
  route_not_found: USUAL,
  mcp_session_not_found: USUAL,
  websocket_disabled: USUAL,
  stored_object_not_found: USUAL,
  rate_limit_exceeded: { ...USUAL, responsesFailure: 'rate_limit_exceeded' },
  quota_exceeded: { ...USUAL, responsesFailure: 'rate_limit_exceeded' },
  upstream_rate_limited: {
    ...USUAL,
    relaysUpstreamWords: true,
    outcomeInAnswer: 'UPSTREAM_LIMITED',
    responsesFailure: 'rate_limit_exceeded',
  },
  internal_error: USUAL,
  upstream_error: USUAL,
  upstream_timeout: USUAL,
  provider_auth_failed: USUAL,
  overloaded: USUAL,
  dependency_unavailable: USUAL,
};
