import { z } from 'zod';

import { ALIAS_TARGETS_MAX } from '../aliases';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, patchOf, search } from './fields';
import { modelSettings } from './models';
import { retirement, retirementGiven } from './retirement';

/** Aliases: other names for models, with dated targets. */

export const aliasTarget = z
  .object({
    modelId: id,
    effectiveFrom: instant.nullable().meta({ description: 'Null: from the beginning.' }),
  })
  .meta({ id: 'AliasTarget' });
export type AliasTarget = z.output<typeof aliasTarget>;

export const modelAlias = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    displayName: z.string().nullable(),
    targets: z.array(aliasTarget).meta({ description: 'Ascending by effectiveFrom.' }),
    currentModelId: id.nullable().meta({
      description: 'The target in force now; null: the first one has not begun.',
    }),
    retirement: retirement.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'ModelAlias' });
export type ModelAlias = z.output<typeof modelAlias>;

/** Start times are compared as instants, not as strings. */
export function distinctBeginnings(
  targets: readonly { readonly effectiveFrom: string | null }[],
): boolean {
  const begins = targets.map(({ effectiveFrom }) =>
    effectiveFrom === null ? -1 : Date.parse(effectiveFrom),
  );
  return new Set(begins).size === begins.length;
}

export const effectiveFrom = givenInstant.nullable().default(null).meta({
  description:
    'The target is in force from this instant until the next one. Null: from the beginning.',
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const settings = {
  // Requests may name a model by its id as well.
  name: modelSettings.name
    .refine((text) => !UUID.test(text), 'looks like the id of a model')
    .meta({ description: 'Requests use it in place of the name of a model.' }),
  displayName: modelSettings.displayName,
  targets: z
    .array(z.strictObject({ modelId: id, effectiveFrom }))
    .min(1, 'at least one target')
    .max(ALIAS_TARGETS_MAX, `an alias has at most ${String(ALIAS_TARGETS_MAX)} targets`)
    .refine(distinctBeginnings, 'two targets begin at the same instant'),
  retirement: retirementGiven,
};

export const modelAliasCreate = z
  .strictObject({
    ...settings,
    displayName: settings.displayName.default(null),
    retirement: settings.retirement.default(null),
  })
  .meta({ id: 'ModelAliasCreate' });
export type ModelAliasCreate = z.output<typeof modelAliasCreate>;

export const modelAliasPatch = patchOf(settings).meta({ id: 'ModelAliasPatch' });

const tag = 'Model aliases';
const root = '/api/organisations/:organisationId';

export const listModelAliases = endpoint({
  id: 'listModelAliases',
  tag,
  summary: 'Aliases of models',
  method: 'GET',
  path: `${root}/model-aliases`,
  access: 'models.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    modelId: id.optional().meta({ description: 'Only aliases with this model among the targets.' }),
  }),
  response: page(modelAlias),
});

export const createModelAlias = endpoint({
  id: 'createModelAlias',
  tag,
  summary: 'Create an alias; keys that may use its target may use it',
  method: 'POST',
  path: `${root}/model-aliases`,
  access: 'models.write',
  body: modelAliasCreate,
  response: modelAlias,
  status: 201,
});

export const getModelAlias = endpoint({
  id: 'getModelAlias',
  tag,
  summary: 'One alias',
  method: 'GET',
  path: `${root}/model-aliases/:modelAliasId`,
  access: 'models.read',
  response: modelAlias,
  etag: true,
});

export const updateModelAlias = endpoint({
  id: 'updateModelAlias',
  tag,
  summary: 'Change an alias; a list of targets replaces the old one',
  method: 'PATCH',
  path: `${root}/model-aliases/:modelAliasId`,
  access: 'models.write',
  body: modelAliasPatch,
  response: modelAlias,
  etag: true,
});

export const deleteModelAlias = endpoint({
  id: 'deleteModelAlias',
  tag,
  summary: 'Delete an alias; its usage records keep the name',
  method: 'DELETE',
  path: `${root}/model-aliases/:modelAliasId`,
  access: 'models.write',
});
