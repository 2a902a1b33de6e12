import { status, type Metadata } from '@grpc/grpc-js';

import { GrpcFailure } from './grpc-handler';
import { createCallerOf, type ServiceTokens } from './service-tokens';

/** `label` names the caller in metrics and logs; the configuration bounds its values. */
export type Admitted = { label: string } & ({ caller: string } | { refused: GrpcFailure });
export type Admit = (path: string, metadata: Metadata) => Admitted;

const UNKNOWN = 'unknown';
const ANYBODY = 'anybody';

/** For methods that need no token. */
export const admitAnybody: Admit = () => ({ label: ANYBODY, caller: ANYBODY });

// Without tokens (loopback only) a caller is trusted to name itself. The table of callers applies
// all the same, so that a missing row shows in development too.
export function createAdmit(options: {
  tokens: ServiceTokens;
  callers: Readonly<Record<string, readonly string[]>>;
  roleOf?: (caller: string) => string;
}): Admit {
  const { tokens, callers, roleOf = (caller) => caller } = options;
  const callerOf = createCallerOf(tokens);
  const trusting = tokens.size === 0;

  return (path, metadata) => {
    const token = bearer(metadata);
    const caller = trusting ? text(metadata, 'x-service') : token && callerOf(token);
    if (!caller) {
      const message = token ? 'unknown service token' : 'a service token is required';
      return { label: UNKNOWN, refused: new GrpcFailure(status.UNAUTHENTICATED, message) };
    }
    const role = roleOf(caller);
    if (!callers[path]?.includes(role)) {
      const message = `${caller} may not call ${path}`;
      const label = trusting ? UNKNOWN : caller;
      return { label, refused: new GrpcFailure(status.PERMISSION_DENIED, message) };
    }
    // A self-given name could be anything; its role is one of the table's.
    return { label: trusting ? role : caller, caller };
  };
}

function bearer(metadata: Metadata): string | undefined {
  const value = text(metadata, 'authorization');
  return value?.startsWith('Bearer ') ? value.slice('Bearer '.length) : undefined;
}

function text(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name)[0];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
