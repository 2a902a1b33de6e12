import { nextStep, type NextStep } from '../api-keys/next-step';

// What somebody at the playground does about a refusal. Its key is short-lived and has the grants of
// whoever is signed in, so that some codes ask for something else here than of an application.

const BUDGETS = { path: 'budgets', label: 'Open budgets' } as const;
const QUOTAS = { path: 'quotas', label: 'Open quotas' } as const;

const HERE: Readonly<Record<string, NextStep>> = {
  budget_exceeded: { words: 'Wait for the window to end, or raise the budget.', page: BUDGETS },
  quota_exceeded: { words: 'Wait for the window to end, or raise the quota.', page: QUOTAS },
  rate_limit_exceeded: {
    words: 'Wait a moment and send it again, or raise the rate limit.',
    page: QUOTAS,
  },
  model_access_denied: {
    words: 'None of your keys may use this model. Ask an administrator for access.',
  },
  invalid_api_key: { words: 'Send it again. The playground then uses a new key.' },
  invalid_request: { words: 'Change the settings or the message as described.' },
  content_blocked: { words: 'Change the message.' },
  validation_failed: { words: 'Change the settings or the message as described.' },
  payload_too_large: {
    words:
      'Use fewer or smaller pictures, or clear the conversation. The whole conversation is sent each time.',
  },
  unauthenticated: { words: 'Your session has ended. Reload the page and sign in.' },
  forbidden: { words: 'Your role may not use the playground here.' },
  unreachable: { words: 'Check your connection, then send it again.' },
  incomplete: { words: 'Send it again. Tokens generated so far are charged.' },
};

/** Codes that nothing can be said about beyond their message have no words. */
export function stepHere(code: string): NextStep | undefined {
  return Object.hasOwn(HERE, code) ? HERE[code] : nextStep(code);
}
