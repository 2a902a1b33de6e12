import { givesModel, type rest } from '@tollgate/contracts';

import type { Draft } from './draft';
import { grantsOfDraft } from './grants-draft';

// Which models the grants of a key give it. Pure.

type Grants = Pick<rest.ApiKey, 'modelGrants' | 'modelIds'>;
type Model = Pick<rest.Model, 'id' | 'name' | 'providerId'>;

/** Whether grants, stored or drafted, give a model. */
export function mayCall({ modelIds, modelGrants }: Grants, model: Model): boolean {
  return modelIds.includes(model.id) || modelGrants.some((grant) => givesModel(grant, model));
}

interface Models {
  readonly data: readonly Model[];
  /** Null: these are all. */
  readonly nextCursor: string | null;
}

/**
 * Whether every request with the drafted key would be refused. Unless all models are known, only a
 * draft without any grant is useless for certain.
 */
export function isUseless(
  { modelIds, grants, mcpServerIds }: Pick<Draft, 'grants' | 'mcpServerIds' | 'modelIds'>,
  models: Models | undefined,
): boolean {
  if (mcpServerIds.length > 0) return false;
  const drafted: Grants = { modelIds: [...modelIds], modelGrants: grantsOfDraft(grants) };
  if (drafted.modelIds.length === 0 && drafted.modelGrants.length === 0) return true;
  if (models?.nextCursor !== null) return false;
  return !models.data.some((model) => mayCall(drafted, model));
}
