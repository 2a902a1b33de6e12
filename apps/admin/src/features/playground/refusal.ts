import { nextStep, type NextStep } from '../api-keys/next-step';

// What to do about a refusal in the playground. Its key is temporary and has the grants of the
// signed-in user, so some codes need other advice than for applications.

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

/** Undefined for codes whose message says everything. */
export function stepHere(code: string): NextStep | undefined {
  return Object.hasOwn(HERE, code) ? HERE[code] : nextStep(code);
}
