import { nextStep, type NextStep } from '../api-keys/next-step';

// What somebody at the playground does about a refusal. Its key is short-lived and has the grants of
// whoever is signed in, so that some codes ask for something else here than of an application.

const BUDGETS = { path: 'budgets', label: 'Open the budgets' } as const;
const QUOTAS = { path: 'quotas', label: 'Open the quotas' } as const;

const HERE: Readonly<Record<string, NextStep>> = {
  budget_exceeded: { words: 'Wait for the window to end, or raise the budget.', page: BUDGETS },
  quota_exceeded: { words: 'Wait for the window to end, or raise the quota.', page: QUOTAS },
  rate_limit_exceeded: {
    words: 'Wait a moment and send it again, or raise the rate limit.',
    page: QUOTAS,
  },
  model_access_denied: {
    words: 'No key of yours has this model: ask an administrator for one that does.',
  },
  invalid_api_key: { words: 'Send it again: the playground takes a new key.' },
  invalid_request: { words: 'Change the settings or the message as it says.' },
  content_blocked: { words: 'Change the message.' },
  validation_failed: { words: 'Change the settings or the message as it says.' },
  payload_too_large: {
    words: 'Use fewer or smaller pictures, or clear the conversation: all of it is sent each time.',
  },
  unauthenticated: { words: 'The session has ended: reload the page and sign in.' },
  forbidden: { words: 'Your role may not use the playground here.' },
  unreachable: { words: 'See whether you are online, and send it again.' },
  incomplete: { words: 'Send it again. What was generated is charged.' },
};

/** Codes that nothing can be said about beyond their message have no words. */
export function stepHere(code: string): NextStep | undefined {
  return Object.hasOwn(HERE, code) ? HERE[code] : nextStep(code);
}
