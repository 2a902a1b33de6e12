import { openSecret, sealSecret, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { MailKind } from '../entities/mail-outbox.entity';
import { lettersContent, type LetterContent } from './letters';

/**
 * Letters wait in a table that the change itself writes: none is sent for a rolled-back change, and
 * none is lost. Their content is sealed, because it holds a link.
 */

export interface Letter<K extends MailKind = MailKind> {
  readonly kind: K;
  readonly organisationId: string | null;
  readonly recipient: string;
  readonly content: LetterContent<K>;
  readonly expiresAtMs: number;
}

/** Puts a letter into the outbox and returns its id. */
export async function enqueueLetter<K extends MailKind>(
  tx: EntityManager,
  ring: KeyRing,
  letter: Letter<K>,
  nowMs: number,
): Promise<string> {
  const id = uuidv7();
  await tx.query(
    `INSERT INTO mail_outbox
       (id, organisation_id, kind, recipient, sealed, next_attempt_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      letter.organisationId,
      letter.kind,
      letter.recipient,
      sealContent(ring, id, letter.content),
      new Date(nowMs),
      new Date(letter.expiresAtMs),
    ],
  );
  return id;
}

const sealedContent = z.object({
  keyId: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
  tag: z.string(),
});

/** As JSON for the column. */
export function sealContent(ring: KeyRing, id: string, content: object): string {
  const { keyId, nonce, ciphertext, tag } = sealSecret(ring, JSON.stringify(content), aadOf(id));
  return JSON.stringify({
    keyId,
    nonce: nonce.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: tag.toString('base64'),
  } satisfies z.output<typeof sealedContent>);
}

export function openContent<K extends MailKind>(
  ring: KeyRing,
  row: { readonly id: string; readonly kind: K; readonly sealed: unknown },
): LetterContent<K> {
  const { keyId, nonce, ciphertext, tag } = sealedContent.parse(row.sealed);
  const secret = {
    keyId,
    nonce: Buffer.from(nonce, 'base64'),
    ciphertext: Buffer.from(ciphertext, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const content: unknown = JSON.parse(openSecret(ring, secret, aadOf(row.id)));
  return lettersContent[row.kind].parse(content) as LetterContent<K>;
}

function aadOf(id: string): string {
  return `mail:${id}`;
}
