import { previewOf, sealSecret, type KeyRing } from '@tollgate/contracts/node';

import type { RowSecret } from '../entities/row-secret';

type Columns = { readonly [Name in keyof RowSecret]: RowSecret[Name] };

export const NO_SECRET: Columns = {
  secretKeyId: null,
  secretNonce: null,
  secretCiphertext: null,
  secretTag: null,
  secretPreview: null,
};

/** The columns of a secret that is bound to its context; null: of none. */
export function sealedRowSecret(keyRing: KeyRing, context: string, secret: string | null): Columns {
  if (secret === null) return NO_SECRET;
  const { keyId, nonce, ciphertext, tag } = sealSecret(keyRing, secret, context);
  return {
    secretKeyId: keyId,
    secretNonce: nonce,
    secretCiphertext: ciphertext,
    secretTag: tag,
    secretPreview: previewOf(secret),
  };
}
