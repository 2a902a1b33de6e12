import { ModelAlias } from '../../entities/model-alias.entity';
import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';

// Models and aliases of an organisation share their names. Each table has its own unique key, and this lock makes
// one transaction at a time give a name, so that none is given in both.

/** Throws if an alias of the organisation has the name. */
export async function assertNoAlias(
  call: Pick<Call, 'db' | 'organisation'>,
  name: string,
): Promise<void> {
  if (await isAlias(call, name)) {
    throw conflict('name', 'an alias of this organisation has this name');
  }
}

export async function isAlias(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  name: string,
): Promise<boolean> {
  await lockOrganisation(db, 'names', organisation.id);
  return db.existsBy(ModelAlias, { organisationId: organisation.id, name });
}

/** Throws if a model or another alias of the organisation has the name of an alias to be. */
export async function assertFreeForAlias(
  call: Pick<Call, 'db' | 'organisation'>,
  name: string,
): Promise<void> {
  const { db, organisation } = call;
  await assertNoAlias(call, name);
  if (await db.existsBy(Model, { organisationId: organisation.id, name })) {
    throw conflict('name', 'a model of this organisation has this name');
  }
}
