import {
  alertDestinationContext,
  exportSecretContext,
  keptBodyContext,
  mcpSecretContext,
  screeningSecretContext,
  secretContext,
  type SealedSecret,
} from '@tollgate/contracts/node';
import { z } from 'zod';

/**
 * Every place that stores sealed secrets. A new table with sealed secrets needs a row here, so that
 * key rotation reaches it.
 */

export interface SealedRow {
  /** Identifies the row in its store; rows are read in this order. */
  readonly place: string;
  /** The context that the secret is bound to. */
  readonly context: string;
  readonly sealed: SealedSecret;
}

export interface SealedStore {
  readonly table: string;
  /** Before the place of every row. */
  readonly start: string;
  /** SQL: at most $2 rows after $1, of keys other than $3 unless that is null. */
  readonly select: string;
  readonly read: (row: unknown) => SealedRow;
  /** SQL: replaces the secret at $1 with the values of `write`. */
  readonly update: string;
  readonly write: (sealed: SealedSecret) => readonly unknown[];
}

/** Rows are read by their id as it is, so that the primary key answers: a cast needs a sort of the whole table. */
const BEFORE_IDS = '00000000-0000-0000-0000-000000000000';

/** The context of a stored answer that shows a secret. */
export function replayContext(userId: string, key: string): string {
  return `idempotency:${userId}:${key}`;
}

const bytes = z.instanceof(Buffer);
const columns = z
  .object({
    place: z.string(),
    owner: z.string(),
    keyId: z.string(),
    nonce: bytes,
    ciphertext: bytes,
    tag: bytes,
  })
  .transform(({ place, owner, keyId, nonce, ciphertext, tag }) => ({
    place,
    owner,
    sealed: { keyId, nonce, ciphertext, tag },
  }));

const providerKeys: SealedStore = {
  table: 'provider_api_key',
  start: BEFORE_IDS,
  select: `SELECT id::text AS place, provider_id::text AS owner, key_id AS "keyId", nonce, ciphertext, tag
    FROM provider_api_key
    WHERE id > $1::uuid AND ($3::text IS NULL OR key_id <> $3)
    ORDER BY id LIMIT $2`,
  read: (row) => {
    const { place, owner, sealed } = columns.parse(row);
    return { place, context: secretContext(owner, place), sealed };
  },
  update: `UPDATE provider_api_key SET key_id = $2, nonce = $3, ciphertext = $4, tag = $5
    WHERE id = $1::uuid`,
  write: ({ keyId, nonce, ciphertext, tag }) => [keyId, nonce, ciphertext, tag],
};

/** A table whose rows have one secret each, bound to their id. */
function ownedSecrets(table: string, contextOf: (id: string) => string): SealedStore {
  return {
    table,
    start: BEFORE_IDS,
    select: `SELECT id::text AS place, id::text AS owner, secret_key_id AS "keyId",
        secret_nonce AS nonce, secret_ciphertext AS ciphertext, secret_tag AS tag
      FROM ${table}
      WHERE secret_key_id IS NOT NULL AND id > $1::uuid
        AND ($3::text IS NULL OR secret_key_id <> $3)
      ORDER BY id LIMIT $2`,
    read: (row) => {
      const { place, sealed } = columns.parse(row);
      return { place, context: contextOf(place), sealed };
    },
    update: `UPDATE ${table} SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4,
        secret_tag = $5
      WHERE id = $1::uuid`,
    write: ({ keyId, nonce, ciphertext, tag }) => [keyId, nonce, ciphertext, tag],
  };
}

const mcpServers = ownedSecrets('mcp_server', mcpSecretContext);
const exportDestinations = ownedSecrets('export_destination', exportSecretContext);
const alertDestinations = ownedSecrets('alert_destination', alertDestinationContext);
const keptBodies = ownedSecrets('kept_body', keptBodyContext);
const screeningServices = ownedSecrets('screening_service', screeningSecretContext);

const base64 = z.string().transform((text) => Buffer.from(text, 'base64'));
/** The JSON form of a sealed secret. */
const written = z.object({ keyId: z.string(), nonce: base64, ciphertext: base64, tag: base64 });
const replay = z.object({ place: z.string(), response: written });
const letter = z.object({ place: z.string(), sealed: written });

function asJson({ keyId, nonce, ciphertext, tag }: SealedSecret): string {
  return JSON.stringify({
    keyId,
    nonce: nonce.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: tag.toString('base64'),
  });
}

// A space separates the parts: neither a user's id nor an idempotency key contains one.
const replays: SealedStore = {
  table: 'idempotency_key',
  start: '',
  select: `SELECT user_id::text || ' ' || key AS place, response FROM idempotency_key
    WHERE response ?& ARRAY['keyId', 'nonce', 'ciphertext', 'tag']
      AND (user_id::text || ' ' || key) COLLATE "C" > $1
      AND ($3::text IS NULL OR response ->> 'keyId' <> $3)
    ORDER BY (user_id::text || ' ' || key) COLLATE "C" LIMIT $2`,
  read: (row) => {
    const { place, response } = replay.parse(row);
    const [userId = '', key = ''] = place.split(' ');
    return { place, context: replayContext(userId, key), sealed: response };
  },
  update: `UPDATE idempotency_key SET response = $2::jsonb
    WHERE user_id = split_part($1, ' ', 1)::uuid AND key = split_part($1, ' ', 2)`,
  write: (sealed) => [asJson(sealed)],
};

// Sent letters have no content.
const letters: SealedStore = {
  table: 'mail_outbox',
  start: BEFORE_IDS,
  select: `SELECT id::text AS place, sealed FROM mail_outbox
    WHERE sealed IS NOT NULL AND id > $1::uuid
      AND ($3::text IS NULL OR sealed ->> 'keyId' <> $3)
    ORDER BY id LIMIT $2`,
  read: (row) => {
    const { place, sealed } = letter.parse(row);
    return { place, context: `mail:${place}`, sealed };
  },
  update: 'UPDATE mail_outbox SET sealed = $2::jsonb WHERE id = $1::uuid',
  write: (sealed) => [asJson(sealed)],
};

export const SEALED_STORES: readonly SealedStore[] = [
  providerKeys,
  mcpServers,
  screeningServices,
  exportDestinations,
  alertDestinations,
  replays,
  letters,
  keptBodies,
];
