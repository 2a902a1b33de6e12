// What to do about a refusal, one row per error code. Pure.

export type NextStep = {
  readonly words: string;
  /** The page where the user can act; undefined when no page helps. */
  readonly page?: { readonly path: string; readonly label: string };
};

const PAGES = {
  models: { path: 'models', label: 'Open models' },
  providers: { path: 'providers', label: 'Open providers' },
  upstreams: { path: 'upstreams', label: 'Open upstream health' },
} as const;

const STEPS: Readonly<Record<string, NextStep>> = {
  budget_exceeded: { words: 'Wait for the window to end, or raise the budget.' },
  quota_exceeded: { words: 'Wait for the window to end, or raise the quota.' },
  rate_limit_exceeded: { words: 'Send fewer requests at once, or raise the rate limit.' },
  model_access_denied: { words: 'Edit the key and grant it the model.' },
  stored_object_not_found: {
    words: 'Use a key of the team or user that created the response, or an organisation key.',
  },
  mcp_access_denied: { words: 'Grant the MCP server to this key.' },
  model_not_found: {
    words: 'Correct the model name in the application, or create a model with this name.',
    page: PAGES.models,
  },
  unsupported_model: {
    words: 'Use a model whose type supports this operation.',
    page: PAGES.models,
  },
  provider_mismatch: {
    words: 'Remove “provider” from the request, or use a route that serves this model.',
    page: PAGES.models,
  },
  provider_misconfigured: {
    words: 'Turn the provider on, or set the price of the model so that limits can count it.',
    page: PAGES.providers,
  },
  provider_auth_failed: {
    words: 'The upstream rejects the provider’s key. Replace that key.',
    page: PAGES.providers,
  },
  upstream_error: {
    words: 'All upstreams for this model are cooling down. Retry later.',
    page: PAGES.upstreams,
  },
  upstream_rate_limited: {
    words: 'All upstreams for this model are rate limited. Retry later.',
    page: PAGES.upstreams,
  },
  invalid_api_key: { words: 'Use another API key. This one is revoked, expired or unknown.' },
  invalid_request: { words: 'Correct the request. The message names the field.' },
  plugin_blocked: { words: 'A plugin of the organisation blocked the request.' },
  content_blocked: { words: 'Change the content of the request.' },
  overloaded: {
    words: 'Retry after a second. If it persists, give the gateway more processes or memory.',
  },
  dependency_unavailable: {
    words: 'The gateway could not reach one of its services. Check their health.',
  },
};

/** Undefined for codes whose message says everything. */
export function nextStep(code: string): NextStep | undefined {
  return Object.hasOwn(STEPS, code) ? STEPS[code] : undefined;
}
