import type { rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { assertUsable, findKey, noteChange, withGrants } from './api-keys';
import { modelGrantRows } from './model-grant-rows';
import { assertGrantable } from './single-model-grants';

/** The models that a key is granted individually, as a resource of their own. */

export async function getModels(
  call: Call<typeof rest.getApiKeyModels>,
): Promise<{ modelIds: string[] }> {
  const { modelIds } = await withGrants(call, await findKey(call, call.params.apiKeyId));
  return { modelIds };
}

export async function setModels(
  call: Call<typeof rest.setApiKeyModels>,
): Promise<{ modelIds: string[] }> {
  const { db, organisation } = call;
  const row = await findKey(call, call.params.apiKeyId, true);
  const before = await withGrants(call, row);
  call.expectMatch({ modelIds: before.modelIds });
  assertUsable(row);
  await assertGrantable(call, call.body.modelIds, before.modelIds);
  await modelGrantRows.replace(db, organisation.id, row.id, call.body.modelIds);
  const after = await withGrants(call, row);
  noteChange(call, 'apikey.set-models', row, before, after);
  return { modelIds: after.modelIds };
}
