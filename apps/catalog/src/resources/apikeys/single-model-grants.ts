import { z } from 'zod';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { KEY_OF_SELF, mayUseModel } from './standing-model-grants';

/** Which models a caller may grant to keys. */

const ids = z.array(z.object({ id: z.string() }));

/**
 * Refuses models that do not exist or that the caller may not grant. Administrators and team
 * managers may grant any model; a user only those that their own keys or their teams' keys have.
 * Existing grants of the key may stay.
 */
export async function assertGrantable(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
  modelIds: readonly string[],
  present: readonly string[] = [],
): Promise<void> {
  const added = modelIds.filter((id) => !present.includes(id));
  if (added.length === 0) return;
  const allowed = new Set(await grantableModels(call));
  const refused = modelIds.findIndex((id) => added.includes(id) && !allowed.has(id));
  if (refused === -1) return;
  const message =
    call.access.reach === 'self'
      ? 'none of your keys and teams has this model'
      : 'no such model in this organisation';
  throw invalid(`modelIds[${refused}]`, message);
}

/** SQL: whether one of the caller's own keys, or of their teams' keys, may use the model `m`. */
export const GRANTED_TO_SELF = `EXISTS (
  SELECT FROM api_key k WHERE k.organisation_id = m.organisation_id
     AND ${KEY_OF_SELF} AND ${mayUseModel('k.id')})`;

/** Ids of the models that the caller may grant to a key. */
export async function grantableModels(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
): Promise<string[]> {
  const { db, organisation, access, nowMs } = call;
  const rows = db
    .createQueryBuilder(Model, 'm')
    .select('m.id', 'id')
    .where(`m.organisationId = :organisationId AND m.status <> 'ARCHIVED'`, {
      organisationId: organisation.id,
    })
    .orderBy('m.id');
  if (access.reach === 'self') {
    rows.andWhere(GRANTED_TO_SELF, {
      selfId: access.userId,
      selfTeamIds: [...access.teamIds],
      now: new Date(nowMs),
    });
  }
  return ids.parse(await rows.getRawMany()).map((row) => row.id);
}
