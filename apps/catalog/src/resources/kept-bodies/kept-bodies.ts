import { restError, type rest } from '@tollgate/contracts';
import type { KeyRing } from '@tollgate/contracts/node';

import { KeptBody, openContent } from '../../bodies';
import { Organisation } from '../../entities/organisation.entity';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
import type { Call } from '../../rest/call';

type OfRequest = Pick<
  Call<typeof rest.getKeptBodies>,
  'actor' | 'db' | 'nowMs' | 'organisation' | 'params'
>;

const DAY_MS = 86_400_000;
const ABSENT = { kept: false, leftOut: null, partial: false } as const;

/** What is known of the bodies of a request, without the bodies. */
export async function stateOf(call: Call<typeof rest.getKeptBodies>): Promise<rest.KeptBodies> {
  const { mayLook, row, until } = await find(call);
  if (row === null) {
    return {
      request: ABSENT,
      answer: ABSENT,
      masked: [],
      keptAt: null,
      keptUntil: null,
      mayLook,
    };
  }
  return {
    request: { kept: row.requestKept, leftOut: row.requestLeftOut, partial: false },
    answer: { kept: row.answerKept, leftOut: row.answerLeftOut, partial: row.answerPartial },
    masked: row.masked,
    keptAt: row.keptAt.toISOString(),
    keptUntil: until.toISOString(),
    mayLook,
  };
}

/** Returns the bodies. The audit event is committed before they leave. */
export async function look(
  call: Call<typeof rest.lookAtBodies>,
  keyRing: KeyRing,
): Promise<rest.ShownBodies> {
  const { mayLook, row } = await find(call);
  if (!mayLook) {
    throw restError('forbidden', 'The organisation does not let operators look at its bodies.');
  }
  const { secretCiphertext: ciphertext, secretKeyId: keyId, secretNonce, secretTag } = row ?? {};
  if (!row || !ciphertext || !keyId || !secretNonce || !secretTag) throw restError('not_found');
  call.changed({
    action: 'usage.look_at_bodies',
    organisationId: call.organisation.id,
    target: { type: 'usage_record', id: row.id },
    after: { request: row.requestKept, answer: row.answerKept },
  });
  return openContent(keyRing, row.id, { keyId, nonce: secretNonce, ciphertext, tag: secretTag });
}

/** Bodies past their end, and those that were deleted, are not shown, even if they are not removed yet. */
async function find({ actor, db, nowMs, organisation, params }: OfRequest) {
  const { id: organisationId } = organisation;
  const settings = await db.findOneByOrFail(Organisation, { id: organisationId });
  const mayLook = actor.role !== 'SUPER_ADMIN' || settings.keptBodiesForOperators;
  const one = { id: params.requestId, organisationId };
  const row = await db.findOneBy(KeptBody, one);
  if (row === null && !(await db.existsBy(UsageRecord, one))) throw restError('not_found');
  const days = Math.min(settings.keptBodiesDays, settings.retentionDays ?? Infinity);
  const until = new Date((row?.at.getTime() ?? 0) + days * DAY_MS);
  const isCleared = row !== null && row.at.getTime() <= (settings.keptBodiesFrom?.getTime() ?? 0);
  return { mayLook, row: until.getTime() > nowMs && !isCleared ? row : null, until };
}

export async function totalOf(
  { db, organisation }: Call<typeof rest.getKeptBodiesTotal>,
  allowed: boolean,
): Promise<rest.KeptBodiesTotal> {
  const [sum] = await db.query<{ requests: string; bytes: string; oldest: Date | null }[]>(
    `SELECT count(*) AS requests, coalesce(sum(octet_length(secret_ciphertext)), 0) AS bytes,
        min(at) AS oldest
      FROM kept_body WHERE organisation_id = $1 AND secret_ciphertext IS NOT NULL AND at > coalesce(
        (SELECT kept_bodies_from FROM organisation WHERE id = $1), '-infinity')`,
    [organisation.id],
  );
  return {
    allowed,
    requests: Number(sum?.requests ?? 0),
    bytes: Number(sum?.bytes ?? 0),
    oldestAt: sum?.oldest?.toISOString() ?? null,
  };
}

/**
 * Deletes all of them, and lets none in that an edge still has of earlier requests. Nobody sees them from now on; their
 * rows, which may be many, are removed by housekeeping.
 */
export async function clear(call: Call<typeof rest.clearKeptBodies>): Promise<{ deleted: number }> {
  const { db, nowMs, organisation } = call;
  const { id } = organisation;
  const until = new Date(nowMs);
  const [{ deleted = 0 } = {}] = await db.query<{ deleted?: number }[]>(
    `SELECT count(*)::integer AS deleted FROM kept_body WHERE organisation_id = $1 AND at <= $2
      AND at > coalesce((SELECT kept_bodies_from FROM organisation WHERE id = $1), '-infinity')`,
    [id, until],
  );
  // Never earlier than before, whatever the clock of another catalog says: what was deleted stays so.
  await db.query(
    'UPDATE organisation SET kept_bodies_from = greatest(kept_bodies_from, $2) WHERE id = $1',
    [id, until],
  );
  call.changed({
    action: 'organisation.clear_kept_bodies',
    organisationId: id,
    target: { type: 'organisation', id },
    after: { deleted },
  });
  return { deleted };
}
