import { z } from 'zod';

import { endpoint } from './endpoint';
import { id, instant, listQuery, name, page, patchOf } from './fields';

/** Saved views of the console's usage explorer: a name for a set of its filters, grouping and period. */

export const USAGE_VIEWS_SHARED = 100;
export const USAGE_VIEWS_OF_USER = 50;

/** What a view keeps: the parameters of the usage page's address. */
export const USAGE_VIEW_PARAMETERS = [
  'range',
  'from',
  'to',
  'group',
  'tagKey',
  'metric',
  'bucket',
  'order',
  'top',
  'compare',
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'providerId',
  'routingPolicyId',
  'mcpServerId',
  'operation',
  'status',
  'region',
  'endUser',
  'session',
  'agentClass',
  'tag',
  'responseCache',
  'experimentId',
  'experimentArm',
] as const;
export type UsageViewParameter = (typeof USAGE_VIEW_PARAMETERS)[number];

const parameter = z.string().min(1).max(200).optional();
const parameters = z
  .strictObject(
    Object.fromEntries(USAGE_VIEW_PARAMETERS.map((key) => [key, parameter])) as Record<
      UsageViewParameter,
      typeof parameter
    >,
  )
  .meta({
    id: 'UsageViewParameters',
    description:
      'Parameters of the usage page in the console, as its address has them. Absent: the page’s own default.',
  });

export const usageView = z
  .object({
    id,
    organisationId: id,
    userId: id.meta({ description: 'Who saved it.' }),
    userName: z.string(),
    name: z.string(),
    parameters,
    shared: z.boolean().meta({
      description:
        'Shared with the administrators of the organisation; otherwise only its user has it.',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'UsageView' });
export type UsageView = z.output<typeof usageView>;

const settings = {
  name,
  parameters,
  shared: z.boolean().meta({
    description: 'Only administrators share views. Every administrator may change a shared view.',
  }),
};

const tag = 'Usage';
const root = '/api/organisations/:organisationId/usage-views';

export const listUsageViews = endpoint({
  id: 'listUsageViews',
  tag,
  summary: 'Your saved views of usage, and for administrators the shared ones',
  method: 'GET',
  path: root,
  access: 'usage-views.read',
  query: listQuery(['createdAt', 'name'], {}),
  response: page(usageView),
});

export const createUsageView = endpoint({
  id: 'createUsageView',
  tag,
  summary: 'Save a view of usage',
  method: 'POST',
  path: root,
  access: 'usage-views.write',
  body: z
    .strictObject({ ...settings, shared: settings.shared.default(false) })
    .meta({ id: 'UsageViewCreate' }),
  response: usageView,
  status: 201,
});

export const updateUsageView = endpoint({
  id: 'updateUsageView',
  tag,
  summary: 'Change a saved view of usage; the last change wins',
  method: 'PATCH',
  path: `${root}/:usageViewId`,
  access: 'usage-views.write',
  body: patchOf(settings).meta({ id: 'UsageViewPatch' }),
  response: usageView,
});

export const deleteUsageView = endpoint({
  id: 'deleteUsageView',
  tag,
  summary: 'Delete a saved view of usage',
  method: 'DELETE',
  path: `${root}/:usageViewId`,
  access: 'usage-views.write',
});
