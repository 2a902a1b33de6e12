import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import { appendOutbox } from '../outbox';
import { AuditEvent } from './audit-event.entity';
import { differenceOf, type Change } from './change';

/** Who made a change, and in which call. */
export interface ChangeOrigin {
  /** Null: the system, or a caller who is not signed in. */
  readonly actor: { readonly id: string; readonly email: string } | null;
  readonly requestId: string | null;
  readonly remoteAddress: string | null;
}

/**
 * Records changes in the transaction that makes them. Call it last: news for the data plane takes a
 * lock until the commit.
 */
export async function recordChanges(
  tx: EntityManager,
  origin: ChangeOrigin,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.insert(
    AuditEvent,
    changes.map((change) => {
      const details: object = differenceOf(change);
      return {
        id: uuidv7(),
        organisationId: change.organisationId,
        actorKind: origin.actor === null ? ('SYSTEM' as const) : ('USER' as const),
        actorId: origin.actor?.id ?? null,
        actorEmail: origin.actor?.email ?? null,
        action: change.action,
        targetType: change.target.type,
        targetId: change.target.id,
        details,
        requestId: origin.requestId,
        remoteAddress: origin.remoteAddress,
      };
    }),
  );
  for (const news of changes.flatMap((change) => change.news ?? [])) {
    await appendOutbox(tx, {
      kind: news.kind,
      organisationId: news.organisationId,
      ...(news.keySha256 === undefined ? {} : { keySha256: news.keySha256 }),
      ...(news.limitIds === undefined ? {} : { limitIds: news.limitIds }),
      ...(news.rev === undefined ? {} : { rev: news.rev }),
    });
  }
}
