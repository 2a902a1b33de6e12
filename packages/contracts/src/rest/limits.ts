import { z } from 'zod';

import { BUDGET_PERIODS, LIMIT_MODES, LIMIT_SCOPES, QUOTA_METRICS } from '../enums';
import { endpoint } from './endpoint';
import {
  count,
  id,
  instant,
  listQuery,
  page,
  patchOf,
  SWITCH_STATUSES,
  usd,
  usdAmount,
} from './fields';
import {
  answeredScope,
  keysInScope,
  lifetimeOfValues,
  requireValue,
  scope,
  valueRequired,
} from './limit-scope';

/** Budgets and quotas, and what every limit has: a scope, a mode and a status. */

const window = {
  windowStart: instant.meta({ description: 'Start of the current window.' }),
  windowEnd: instant,
};
export const limitMode = z.enum(LIMIT_MODES).meta({
  description: 'HARD refuses requests that would exceed the limit; SOFT only reports them.',
});
export const limitStatus = z
  .enum(SWITCH_STATUSES)
  .meta({ description: 'A disabled limit is not applied.' });
export const limitBase = {
  id,
  organisationId: id,
  scope: answeredScope,
  requireValue,
  keysInScope,
  mode: limitMode,
  status: limitStatus,
};
export const limitDefaults = {
  mode: limitMode.default('HARD'),
  status: limitStatus.default('ACTIVE'),
  requireValue: requireValue.default(false),
};
export const limitStamps = { createdAt: instant, updatedAt: instant };

export const budget = z
  .object({
    ...limitBase,
    period: z.enum(BUDGET_PERIODS),
    limitUsd: usdAmount,
    clampToBudget: z.boolean(),
    spentUsd: usdAmount.meta({
      description: 'Of a limit on each value: of the value that has spent most.',
    }),
    heldUsd: usdAmount.meta({
      description: 'Held by requests that have run for more than a few seconds.',
    }),
    ...window,
    ...limitStamps,
  })
  .meta({ id: 'Budget' });
export type Budget = z.output<typeof budget>;

export const budgetCreate = z
  .strictObject({
    scope,
    period: z.enum(BUDGET_PERIODS),
    limitUsd: usd,
    ...limitDefaults,
    clampToBudget: z.boolean().default(false).meta({
      description:
        "Whether a request's output bound is lowered to what the budget affords, instead of refusing the request.",
    }),
  })
  .refine(...valueRequired)
  .refine(...lifetimeOfValues)
  .meta({ id: 'BudgetCreate' });
export type BudgetCreate = z.output<typeof budgetCreate>;

export const budgetPatch = patchOf({
  limitUsd: usd,
  mode: limitMode,
  status: limitStatus,
  clampToBudget: z.boolean(),
  requireValue,
}).meta({ id: 'BudgetPatch' });
export type BudgetPatch = z.output<typeof budgetPatch>;

/** A count; for the metric COST a decimal string in US dollars. */
const quotaLimit = z.union([count, usd]);
const quotaAmount = z.union([z.int(), usdAmount]);

export const quota = z
  .object({
    ...limitBase,
    metric: z.enum(QUOTA_METRICS),
    period: z.enum(BUDGET_PERIODS).nullable(),
    windowSeconds: z.int().nullable(),
    limit: quotaAmount,
    used: quotaAmount.meta({
      description: 'Of a limit on each value: of the value that has used most.',
    }),
    held: quotaAmount,
    ...window,
    ...limitStamps,
  })
  .meta({ id: 'Quota' });
export type Quota = z.output<typeof quota>;

export const quotaCreate = z
  .strictObject({
    scope,
    metric: z.enum(QUOTA_METRICS),
    period: z.enum(BUDGET_PERIODS).optional(),
    windowSeconds: z.int().min(60).max(31_536_000).optional(),
    limit: quotaLimit.meta({
      description: 'A count; for COST a decimal string in US dollars; for LATENCY_MS milliseconds.',
    }),
    ...limitDefaults,
  })
  .refine((value) => (value.period === undefined) !== (value.windowSeconds === undefined), {
    path: ['period'],
    message: 'either a period or windowSeconds',
  })
  .refine((value) => (value.metric === 'COST') === (typeof value.limit === 'string'), {
    path: ['limit'],
    message: 'decimal US dollars for COST, a whole number for every other metric',
  })
  .refine(...valueRequired)
  .refine(...lifetimeOfValues)
  .meta({ id: 'QuotaCreate' });
export type QuotaCreate = z.output<typeof quotaCreate>;

export const quotaPatch = patchOf({
  limit: quotaLimit,
  mode: limitMode,
  status: limitStatus,
  requireValue,
}).meta({ id: 'QuotaPatch' });
export type QuotaPatch = z.output<typeof quotaPatch>;

export const limitFilters = {
  scopeType: z.enum(LIMIT_SCOPES).optional(),
  scopeId: id.optional(),
  status: limitStatus.optional(),
};
const root = '/api/organisations/:organisationId';

export const listBudgets = endpoint({
  id: 'listBudgets',
  tag: 'Budgets',
  summary: 'Budgets with the spent and held amounts of their current window',
  method: 'GET',
  path: `${root}/budgets`,
  access: 'budgets.read',
  query: listQuery(['createdAt'], { ...limitFilters, period: z.enum(BUDGET_PERIODS).optional() }),
  response: page(budget),
});

export const createBudget = endpoint({
  id: 'createBudget',
  tag: 'Budgets',
  summary: 'Create a budget; spend of the current window counts from its start',
  method: 'POST',
  path: `${root}/budgets`,
  access: 'budgets.write',
  body: budgetCreate,
  response: budget,
  status: 201,
});

export const getBudget = endpoint({
  id: 'getBudget',
  tag: 'Budgets',
  summary: 'One budget',
  method: 'GET',
  path: `${root}/budgets/:budgetId`,
  access: 'budgets.read',
  response: budget,
  etag: true,
});

export const updateBudget = endpoint({
  id: 'updateBudget',
  tag: 'Budgets',
  summary: 'Change a budget',
  method: 'PATCH',
  path: `${root}/budgets/:budgetId`,
  access: 'budgets.write',
  body: budgetPatch,
  response: budget,
  etag: true,
});

export const deleteBudget = endpoint({
  id: 'deleteBudget',
  tag: 'Budgets',
  summary: 'Delete a budget',
  method: 'DELETE',
  path: `${root}/budgets/:budgetId`,
  access: 'budgets.write',
});

export const listQuotas = endpoint({
  id: 'listQuotas',
  tag: 'Quotas',
  summary: 'Quotas with the used and held amounts of their current window',
  method: 'GET',
  path: `${root}/quotas`,
  access: 'quotas.read',
  query: listQuery(['createdAt'], { ...limitFilters, metric: z.enum(QUOTA_METRICS).optional() }),
  response: page(quota),
});

export const createQuota = endpoint({
  id: 'createQuota',
  tag: 'Quotas',
  summary: 'Create a quota; usage of the current window counts from its start',
  method: 'POST',
  path: `${root}/quotas`,
  access: 'quotas.write',
  body: quotaCreate,
  response: quota,
  status: 201,
});

export const getQuota = endpoint({
  id: 'getQuota',
  tag: 'Quotas',
  summary: 'One quota',
  method: 'GET',
  path: `${root}/quotas/:quotaId`,
  access: 'quotas.read',
  response: quota,
  etag: true,
});

export const updateQuota = endpoint({
  id: 'updateQuota',
  tag: 'Quotas',
  summary: 'Change a quota',
  method: 'PATCH',
  path: `${root}/quotas/:quotaId`,
  access: 'quotas.write',
  body: quotaPatch,
  response: quota,
  etag: true,
});

export const deleteQuota = endpoint({
  id: 'deleteQuota',
  tag: 'Quotas',
  summary: 'Delete a quota',
  method: 'DELETE',
  path: `${root}/quotas/:quotaId`,
  access: 'quotas.write',
});
