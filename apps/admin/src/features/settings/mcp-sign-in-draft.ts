import type { rest } from '@tollgate/contracts';

import { linesOf } from '../../resource/typed';

// The draft of the sign-in of web clients to MCP servers.

export interface RuleDraft {
  readonly claim: string;
  readonly value: string;
  readonly apiKeyId: string;
}

export interface McpSignInDraft {
  readonly issuer: string;
  /** One per line. */
  readonly audiences: string;
  readonly scopes: string;
  readonly rules: readonly RuleDraft[];
}

export function signInDraft({ issuer, audiences, scopes, rules }: rest.McpSignIn): McpSignInDraft {
  return {
    issuer: issuer ?? '',
    audiences: audiences.join('\n'),
    scopes: scopes.join('\n'),
    rules,
  };
}

export function signInBody({ issuer, audiences, scopes, rules }: McpSignInDraft) {
  return {
    issuer: issuer.trim(),
    audiences: linesOf(audiences),
    scopes: linesOf(scopes),
    rules: rules.map(({ claim, value, apiKeyId }) => ({
      claim: claim.trim(),
      value: value.trim(),
      apiKeyId,
    })),
  };
}
