// What to do about a refusal. Pure: a row a code.

export type NextStep = {
  readonly words: string;
  /** The page where it is done, with what it is narrowed to; undefined: nothing here changes it. */
  readonly page?: { readonly path: string; readonly label: string };
};

const PAGES = {
  models: { path: 'models', label: 'Open the models' },
  providers: { path: 'providers', label: 'Open the providers' },
  upstreams: { path: 'upstreams', label: 'See upstream health' },
} as const;

const STEPS: Readonly<Record<string, NextStep>> = {
  budget_exceeded: { words: 'Wait for the window to end, or raise the budget.' },
  quota_exceeded: { words: 'Wait for the window to end, or raise the quota.' },
  rate_limit_exceeded: { words: 'Send fewer requests at once, or raise the rate limit.' },
  model_access_denied: { words: 'Grant the model to this key: edit the key.' },
  stored_object_not_found: {
    words: 'Use a key of the team or user that made the response, or one of the organisation.',
  },
  mcp_access_denied: { words: 'Grant the MCP server to this key.' },
  model_not_found: {
    words: 'Correct the name in the application, or make a model of this name.',
    page: PAGES.models,
  },
  unsupported_model: {
    words: 'Use a model of the type that the operation needs.',
    page: PAGES.models,
  },
  provider_mismatch: {
    words: 'Leave “provider” out of the request, or use a route that fits the model.',
    page: PAGES.models,
  },
  provider_misconfigured: {
    words: 'Complete the provider: it is off, or the model has no price that a limit can count by.',
    page: PAGES.providers,
  },
  provider_auth_failed: {
    words: 'The upstream refuses the provider’s own key: replace it.',
    page: PAGES.providers,
  },
  upstream_error: { words: 'The upstreams that may serve it rest.', page: PAGES.upstreams },
  upstream_rate_limited: {
    words: 'The upstreams that may serve it limit requests themselves.',
    page: PAGES.upstreams,
  },
  invalid_api_key: { words: 'Use another key, or undo what ended this one.' },
  invalid_request: { words: 'Correct the request as the message says.' },
  plugin_blocked: { words: 'A plugin of the organisation refuses it.' },
  content_blocked: { words: 'Change the content of the request.' },
  overloaded: {
    words:
      'Send it again after a second; if it stays so, the gateway needs more processes or memory.',
  },
  dependency_unavailable: {
    words: 'The gateway could not decide: see whether its services are well.',
  },
};

/** Codes that nothing can be said about beyond their message have no words. */
export function nextStep(code: string): NextStep | undefined {
  return Object.hasOwn(STEPS, code) ? STEPS[code] : undefined;
}
