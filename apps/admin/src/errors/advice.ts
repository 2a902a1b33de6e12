import type { ErrorCode } from '@tollgate/contracts';

// What to do about each error code of the gateway. A code without a row does not compile.

export interface NextStep {
  readonly words: string;
  /** The page where the user can act; undefined when no page helps. */
  readonly page?: { readonly path: string; readonly label: string };
}

export interface Advice {
  /** For the page of an application's key; null: the message says everything. */
  readonly ofKey: NextStep | null;
  /**
   * For the playground, where it differs: its key is temporary and has the grants of the signed-in
   * user.
   */
  readonly inPlayground?: NextStep;
}

const PAGES = {
  budgets: { path: 'budgets', label: 'Open budgets' },
  mcpServers: { path: 'mcp-servers', label: 'Open MCP servers' },
  models: { path: 'models', label: 'Open models' },
  providers: { path: 'providers', label: 'Open providers' },
  quotas: { path: 'quotas', label: 'Open quotas' },
  upstreams: { path: 'upstreams', label: 'Open upstream health' },
} as const;

const MESSAGE_ONLY: Advice = { ofKey: null };

export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  budget_exceeded: {
    ofKey: { words: 'Wait for the window to end, or raise the budget.' },
    inPlayground: {
      words: 'Wait for the window to end, or raise the budget.',
      page: PAGES.budgets,
    },
  },
  quota_exceeded: {
    ofKey: { words: 'Wait for the window to end, or raise the quota.' },
    inPlayground: { words: 'Wait for the window to end, or raise the quota.', page: PAGES.quotas },
  },
  rate_limit_exceeded: {
    ofKey: { words: 'Send fewer requests at once, or raise the rate limit.' },
    inPlayground: {
      words: 'Wait a moment and send it again, or raise the rate limit.',
      page: PAGES.quotas,
    },
  },
  model_access_denied: {
    ofKey: { words: 'Edit the key and grant it the model.' },
    inPlayground: {
      words: 'None of your keys may use this model. Ask an administrator for access.',
    },
  },
  region_not_allowed: {
    ofKey: {
      words:
        'Set the region of the provider or MCP server, choose another one that is in an allowed region, or change the allowed regions of the organisation, team, key or model.',
    },
    inPlayground: {
      words:
        'The provider of this model is in no region that your key may use. Choose another model, or ask an administrator.',
    },
  },
  stored_object_not_found: {
    ofKey: {
      words: 'Use a key of the team or user that created the response, or an organisation key.',
    },
  },
  mcp_access_denied: {
    ofKey: {
      words:
        'Grant the MCP server to this key, or let its grant and the server’s rules allow the name.',
      page: PAGES.mcpServers,
    },
    inPlayground: {
      words:
        'The rules of the server or your own grants do not allow this. Ask an administrator for access.',
      page: PAGES.mcpServers,
    },
  },
  passthrough_denied: {
    ofKey: {
      words:
        'Let the key call the provider (Passthrough), and give the provider a passthrough rule for this method and path. Keys with a screening policy cannot use passthrough.',
      page: PAGES.providers,
    },
  },
  mcp_tool_changed: {
    ofKey: {
      words: 'Compare the tool with its pinned definition, and pin it again if it is right.',
      page: PAGES.mcpServers,
    },
  },
  mcp_session_not_found: {
    ofKey: { words: 'Nothing to do: the application starts a new session.' },
    inPlayground: { words: 'Send it again. Each call starts a new session.' },
  },
  model_not_found: {
    ofKey: {
      words: 'Correct the model name in the application, or create a model with this name.',
      page: PAGES.models,
    },
  },
  unsupported_model: {
    ofKey: { words: 'Use a model whose type supports this operation.', page: PAGES.models },
  },
  provider_mismatch: {
    ofKey: {
      words: 'Remove “provider” from the request, or use a route that serves this model.',
      page: PAGES.models,
    },
  },
  provider_misconfigured: {
    ofKey: {
      words: 'Turn the provider on, or set the price of the model so that limits can count it.',
      page: PAGES.providers,
    },
  },
  provider_auth_failed: {
    ofKey: {
      words:
        'The upstream rejects the provider’s key or account. Replace the key, or add credit to the account at the vendor.',
      page: PAGES.providers,
    },
  },
  upstream_error: {
    ofKey: {
      words: 'All upstreams for this model are cooling down. Retry later.',
      page: PAGES.upstreams,
    },
  },
  upstream_rate_limited: {
    ofKey: {
      words: 'All upstreams for this model are rate limited. Retry later.',
      page: PAGES.upstreams,
    },
  },
  invalid_api_key: {
    ofKey: { words: 'Use another API key. This one is revoked, expired or unknown.' },
    inPlayground: { words: 'Send it again. The playground then uses a new key.' },
  },
  invalid_request: {
    ofKey: { words: 'Correct the request. The message names the field.' },
    inPlayground: { words: 'Change the settings or the message as described.' },
  },
  plugin_blocked: { ofKey: { words: 'A plugin of the organisation blocked the request.' } },
  content_blocked: {
    ofKey: { words: 'Change the content of the request.' },
    inPlayground: { words: 'Change the message.' },
  },
  overloaded: {
    ofKey: {
      words: 'Retry after a second. If it persists, give the gateway more processes or memory.',
    },
  },
  dependency_unavailable: {
    ofKey: { words: 'The gateway could not reach one of its services. Check their health.' },
  },
  // Requests that never had a key, or that failed after the decision.
  internal_error: MESSAGE_ONLY,
  missing_api_key: MESSAGE_ONLY,
  route_not_found: MESSAGE_ONLY,
  unsupported_parameter: MESSAGE_ONLY,
  upstream_rejected: MESSAGE_ONLY,
  upstream_timeout: MESSAGE_ONLY,
  websocket_disabled: MESSAGE_ONLY,
};
