import type { ConfirmKeyReply, ConfirmKeyRequest__Output } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import { keyIsValid } from '../decide';
import type { Directory } from '../directory';
import { invalidArgument } from '../failure';

export interface ConfirmKeyDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly clock: Clock;
}

export type ConfirmKey = (request: ConfirmKeyRequest__Output) => Promise<ConfirmKeyReply>;

/**
 * Says whether a key is valid, before a large body is read for it. A cached plan needs no other
 * service, and the store is never asked.
 * @throws Failure INVALID_ARGUMENT, or UNAVAILABLE when the directory cannot be read
 */
export function createConfirmKey({ directory, clock }: ConfirmKeyDeps): ConfirmKey {
  return async ({ keySha256 }) => {
    if (keySha256.length !== 32) throw invalidArgument('key_sha256: must be 32 bytes');
    const plan = await directory.lookup(keySha256);
    return { valid: plan !== undefined && keyIsValid(plan, clock.now()) };
  };
}
