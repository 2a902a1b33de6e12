import type { McpConnection } from '@tollgate/contracts/node';

type SealedSecret = NonNullable<McpConnection['secret']>;

/** The columns of a row's one secret; null: it has none. */
export interface SealedColumns {
  secret_key_id: string | null;
  secret_nonce: Buffer | null;
  secret_ciphertext: Buffer | null;
  secret_tag: Buffer | null;
}

export function sealedSecret(row: SealedColumns): SealedSecret | null {
  const { secret_key_id: keyId, secret_nonce: nonce, secret_ciphertext: ciphertext } = row;
  const tag = row.secret_tag;
  if (keyId === null || nonce === null || ciphertext === null || tag === null) return null;
  return { apiKeyId: '', name: '', keyId, nonce, ciphertext, tag, weight: 1 };
}
