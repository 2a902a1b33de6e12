import { status, type Metadata } from '@grpc/grpc-js';
import { GrpcFailure } from './grpc-handler';
import { createCallerOf } from './service-tokens';

export type Admitted = { caller: string } | { refused: GrpcFailure };
export type Admit = (path: string, metadata: Metadata) => Admitted;

// Without tokens (loopback only) a caller is believed by the name it gives; the table of who may
// call what holds all the same, so that a missing row shows on a developer's machine too.
export function createAdmit(options: {
  tokens: ReadonlyMap<string, string>;
  callers: Readonly<Record<string, readonly string[]>>;
}): Admit {
  const callerOf = createCallerOf(options.tokens);
  const trusting = options.tokens.size === 0;

  return (path, metadata) => {
    const token = bearer(metadata);
    const caller = trusting ? text(metadata, 'x-service') : token && callerOf(token);
    if (!caller) {
      const message = token ? 'unknown service token' : 'a service token is required';
      return { refused: new GrpcFailure(status.UNAUTHENTICATED, message) };
    }
    if (!options.callers[path]?.includes(caller)) {
      const message = `${caller} may not call ${path}`;
      return { refused: new GrpcFailure(status.PERMISSION_DENIED, message) };
    }
    return { caller };
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
