import { createHash, createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { restError } from '@tollgate/contracts';
import { openSecret, sealSecret, type KeyRing } from '@tollgate/contracts/node';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { replayContext } from '../secrets/sealed-stores';
import { invalid } from './field-errors';
import { IdempotencyKey } from './idempotency-key.entity';

/**
 * An Idempotency-Key makes a repeated POST return the first answer. The key's row is written in the
 * change's transaction: a concurrent repeat waits for its commit, and a failed change leaves no
 * row.
 */

const KEPT_MS = 24 * 3_600_000;
const MAX_KEY = 200;

export interface Repeatable {
  readonly userId: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The answer shows a secret once, so the stored copy is sealed. */
  readonly secret: boolean;
  readonly nowMs: number;
}

export interface Replay {
  readonly status: number;
  readonly body: unknown;
}

const sealed = z.object({
  keyId: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
  tag: z.string(),
});

/** The header's value; undefined when absent. */
export function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/.test(header) || header.length > MAX_KEY) {
    throw invalid('Idempotency-Key', `1 to ${MAX_KEY} printable ASCII characters without spaces`);
  }
  return header;
}

export function createIdempotency(ring: KeyRing): {
  /** Reserves the key, or returns the stored answer. */
  begin(tx: EntityManager, request: Repeatable): Promise<Replay | undefined>;
  finish(tx: EntityManager, request: Repeatable, replay: Replay): Promise<void>;
} {
  const aad = (request: Repeatable): string => replayContext(request.userId, request.key);
  const fingerprints = createFingerprints(ring);

  return {
    async begin(tx, request) {
      const row = { userId: request.userId, key: request.key };
      // An expired key can be reused.
      await tx.query(
        `DELETE FROM idempotency_key WHERE user_id = $1 AND key = $2 AND expires_at <= $3`,
        [request.userId, request.key, new Date(request.nowMs)],
      );
      const taken: unknown[] = await tx.query(
        `INSERT INTO idempotency_key (user_id, key, method, path, request_sha256, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING 1`,
        [
          request.userId,
          request.key,
          request.method,
          request.path,
          fingerprints.of(request),
          new Date(request.nowMs + KEPT_MS),
        ],
      );
      if (taken.length > 0) return undefined;
      const stored = await tx.findOneBy(IdempotencyKey, row);
      if (stored === null || stored.status === null) {
        throw restError('conflict', 'Another request with this Idempotency-Key is still running.');
      }
      if (!fingerprints.match(stored.requestSha256, request)) {
        throw restError('conflict', 'This Idempotency-Key was used for another request.', [
          { path: 'Idempotency-Key', message: 'was used for another request' },
        ]);
      }
      const body = request.secret ? open(ring, stored.response, aad(request)) : stored.response;
      return { status: stored.status, body };
    },

    async finish(tx, request, replay) {
      const response = request.secret ? seal(ring, replay.body, aad(request)) : replay.body;
      await tx.query(
        `UPDATE idempotency_key SET status = $3, response = $4 WHERE user_id = $1 AND key = $2`,
        [request.userId, request.key, replay.status, JSON.stringify(response)],
      );
    },
  };
}

/**
 * A keyed hash of a request. A body may hold a password, and a plain hash would allow an offline
 * guess by anyone who reads the table; the key is derived from the key ring.
 */
function createFingerprints(ring: KeyRing): {
  of(request: Repeatable): Buffer;
  match(stored: Buffer, request: Repeatable): boolean;
} {
  const derive = (key: KeyObject): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', 'idempotency fingerprint', 32));
  // The first key of a ring is the current one.
  const [current, ...older] = [...ring.keys.values()].map(derive);
  if (current === undefined) throw new RangeError('a key ring has a key');
  const textOf = ({ method, path, body }: Repeatable): string =>
    JSON.stringify([method, path, body ?? null]);
  const withKey = (key: Buffer, text: string): Buffer =>
    createHmac('sha256', key).update(text).digest();
  return {
    of: (request) => withKey(current, textOf(request)),
    match: (stored, request) => {
      const text = textOf(request);
      // The last is the previous release's plain hash, which rows have for at most a day.
      const known = [current, ...older].map((key) => withKey(key, text));
      return [...known, createHash('sha256').update(text).digest()].some((one) =>
        one.equals(stored),
      );
    },
  };
}

function seal(ring: KeyRing, body: unknown, aad: string): z.output<typeof sealed> {
  const secret = sealSecret(ring, JSON.stringify(body), aad);
  return {
    keyId: secret.keyId,
    nonce: secret.nonce.toString('base64'),
    ciphertext: secret.ciphertext.toString('base64'),
    tag: secret.tag.toString('base64'),
  };
}

function open(ring: KeyRing, stored: unknown, aad: string): unknown {
  const { keyId, nonce, ciphertext, tag } = sealed.parse(stored);
  const secret = {
    keyId,
    nonce: Buffer.from(nonce, 'base64'),
    ciphertext: Buffer.from(ciphertext, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  return JSON.parse(openSecret(ring, secret, aad));
}
