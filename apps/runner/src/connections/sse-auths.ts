// The authentication of each SSE server, kept for all of its sessions: they share one token.
import type { AddressRules, McpConnection__Output } from '@tollgate/contracts/node';
import { createBoundedCache } from '@tollgate/kit';

import { createSseAuth, type SseAuth } from '../channels';

export interface SseAuths {
  /** Undefined: the server's settings are not complete. */
  readonly of: (
    connection: McpConnection__Output,
    secret: string | undefined,
    connectMs: number,
  ) => SseAuth | undefined;
}

const MOST = 1_024;

export function createSseAuths(deps: {
  readonly rules: AddressRules;
  readonly nowMs: () => number;
}): SseAuths {
  const known = createBoundedCache<string, { version: number; auth: SseAuth }>({ max: MOST });
  return {
    of: ({ auth, serverId, version }, secret, connectMs) => {
      const kept = known.get(serverId);
      if (kept?.version === version) return kept.auth;
      const made = createSseAuth(auth, secret, { ...deps, connectMs });
      if (made !== undefined) known.set(serverId, { version, auth: made });
      return made;
    },
  };
}
