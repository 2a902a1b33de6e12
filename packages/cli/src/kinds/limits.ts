import { rest, SCOPE_TYPES } from '@tollgate/contracts';
import { z } from 'zod';

import { pick, scopeId, scopeNamed, scopeOf, scopeReference } from './fields';
import type { Kind, Names, Values } from './kind';

/** Budgets, quotas and rate limits. They have no names: what they bind and count identifies them. */

const scope = scopeOf(SCOPE_TYPES);
type Scope = z.output<typeof scope>;
const withScope = z.looseObject({ scope });

function scopeWords({ type, name, ordinal = 1 }: Scope): string {
  return [type, name, ordinal === 1 ? undefined : `#${String(ordinal)}`]
    .filter((word) => word !== undefined)
    .join(' ');
}

interface LimitRow {
  readonly id: string;
  readonly scope: { readonly type: string; readonly id: string };
  readonly updatedAt: string;
}

type Definition<Row extends LimitRow> = Pick<
  Kind<Row>,
  'kind' | 'spec' | 'idParameter' | 'operations' | 'list' | 'normal'
> & { readonly words: (spec: Values) => string };

/** What the three have in common. */
function limitKind<Row extends LimitRow>({ words, ...definition }: Definition<Row>): Kind<Row> {
  const nameOf = (given: Values): string =>
    [scopeWords(withScope.parse(given).scope), words(given)].filter(Boolean).join(' ');
  return {
    level: 'organisation',
    name: null,
    repeats: true,
    ...definition,
    idOf: (row) => row.id,
    changedAt: (row) => row.updatedAt,
    nameOf,
    read: (row, names) => readLimit(row, names, definition.spec, nameOf),
    references: (given) => scopeReference(withScope.parse(given).scope, ['scope']),
    body: (given, ids) => {
      const parsed = withScope.parse(definition.spec.parse(given));
      return { ...parsed, scope: { type: parsed.scope.type, id: scopeId(parsed.scope, ids) } };
    },
  };
}

function readLimit(
  row: LimitRow,
  names: Names,
  spec: z.ZodObject,
  nameOf: (spec: Values) => string,
): { name: string; spec: Values } | undefined {
  const named = scopeNamed(row.scope.type, row.scope.id, names);
  if (named === undefined) return undefined;
  const fields = pick(row, Object.keys(spec.shape));
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const read = { ...given, scope: named };
  return { name: nameOf(read), spec: read };
}

const budgetSpec = z.strictObject({ ...rest.budgetCreate.shape, scope });

export const budgets = limitKind<rest.Budget>({
  kind: 'Budget',
  spec: budgetSpec,
  idParameter: 'budgetId',
  words: (given) => budgetSpec.shape.period.parse(given['period']),
  operations: () => ({
    create: rest.createBudget,
    get: rest.getBudget,
    update: rest.updateBudget,
    remove: rest.deleteBudget,
  }),
  list: (api, { organisation }) =>
    api.all(rest.listBudgets, { organisationId: organisation?.id ?? '' }, { sort: 'createdAt' }),
});

const quotaSpec = z
  .strictObject({ ...rest.quotaCreate.shape, scope })
  .refine((value) => (value.period === undefined) !== (value.windowSeconds === undefined), {
    path: ['period'],
    message: 'either a period or windowSeconds',
  })
  .refine((value) => (value.metric === 'COST') === (typeof value.limit === 'string'), {
    path: ['limit'],
    message: 'decimal US dollars for COST, a whole number for every other metric',
  });

export const quotas = limitKind<rest.Quota>({
  kind: 'Quota',
  spec: quotaSpec,
  idParameter: 'quotaId',
  words: (given) => {
    const { metric, period, windowSeconds } = given;
    const window = typeof period === 'string' ? period : `${String(Number(windowSeconds))}s`;
    return `${String(metric)} ${window}`;
  },
  operations: () => ({
    create: rest.createQuota,
    get: rest.getQuota,
    update: rest.updateQuota,
    remove: rest.deleteQuota,
  }),
  list: (api, { organisation }) =>
    api.all(rest.listQuotas, { organisationId: organisation?.id ?? '' }, { sort: 'createdAt' }),
});

const rateSpec = z
  .strictObject({ ...rest.rateLimitCreate.shape, scope })
  .refine(
    ({ requestsPerMinute, tokensPerMinute, concurrentRequests }) =>
      [requestsPerMinute, tokensPerMinute, concurrentRequests].some((rate) => rate !== null),
    'at least one of requestsPerMinute, tokensPerMinute and concurrentRequests',
  );

export const rateLimits = limitKind<rest.RateLimit>({
  kind: 'RateLimit',
  spec: rateSpec,
  idParameter: 'rateLimitId',
  words: () => '',
  operations: () => ({
    create: rest.createRateLimit,
    get: rest.getRateLimit,
    update: rest.updateRateLimit,
    remove: rest.deleteRateLimit,
  }),
  list: (api, { organisation }) =>
    api.all(rest.listRateLimits, { organisationId: organisation?.id ?? '' }, { sort: 'createdAt' }),
});
