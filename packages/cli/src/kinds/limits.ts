import { isOneOf, rest, SCOPE_TYPES, VALUE_SCOPES } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, ordinal, pick, scopeId, scopeNamed, scopeOf, scopeReference } from './fields';
import type { Ids, Kind, Names, Values } from './kind';

/** Budgets, quotas and rate limits. They have no names: what they bind and count identifies them. */

/** Each end user, session or value of a tag, among the requests of the organisation or of what `of` and `name` name. */
const valueScope = z
  .strictObject({
    type: z.enum(VALUE_SCOPES),
    of: z.enum(['TEAM', 'API_KEY']).optional().meta({ description: 'Absent: the organisation.' }),
    name: objectName.optional(),
    ordinal: ordinal.optional(),
    tagKey: rest.tagKeyOfScope,
  })
  .refine(({ of, name }) => (of === undefined) === (name === undefined), {
    path: ['name'],
    message: '`of` and `name` go together',
  })
  .refine(({ type, tagKey }) => (type === 'TAG') === (tagKey !== undefined), {
    path: ['tagKey'],
    message: 'TAG has a tagKey, and no other scope',
  });
const scope = z.union([scopeOf(SCOPE_TYPES), valueScope]);
type Scope = z.output<typeof scope>;

/** The object that a scope names. */
function named(given: Scope): { type: string; name?: string; ordinal?: number } {
  const { name, ordinal: number } = given;
  const type = 'of' in given ? (given.of ?? 'ORGANISATION') : given.type;
  const whole = isOneOf(VALUE_SCOPES, type) ? 'ORGANISATION' : type;
  return {
    type: whole,
    ...(name === undefined ? {} : { name }),
    ...(number === undefined ? {} : { ordinal: number }),
  };
}

function bodyOf(given: Scope, ids: Ids): rest.Scope {
  const tagKey = 'tagKey' in given ? given.tagKey : undefined;
  const id = scopeId(named(given), ids);
  return { type: given.type, id, ...(tagKey === undefined ? {} : { tagKey }) };
}
const withScope = z.looseObject({ scope });

function scopeWords(given: Scope): string {
  const { type, name, ordinal: number = 1 } = given;
  const tagKey = 'tagKey' in given ? given.tagKey : undefined;
  const of = 'of' in given ? given.of : undefined;
  return [type, tagKey, of, name, number === 1 ? undefined : `#${String(number)}`]
    .filter((word) => word !== undefined)
    .join(' ');
}

interface LimitRow {
  readonly id: string;
  readonly organisationId: string;
  readonly scope: rest.Scope;
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
    references: (given) => scopeReference(named(withScope.parse(given).scope), ['scope']),
    body: (given, ids) => {
      const parsed = withScope.parse(definition.spec.parse(given));
      return { ...parsed, scope: bodyOf(parsed.scope, ids) };
    },
  };
}

function readLimit(
  row: LimitRow,
  names: Names,
  spec: z.ZodObject,
  nameOf: (spec: Values) => string,
): { name: string; spec: Values } | undefined {
  const readScope = scopeRead(row, names);
  if (readScope === undefined) return undefined;
  const fields = pick(row, Object.keys(spec.shape));
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const read = { ...given, scope: readScope };
  return { name: nameOf(read), spec: read };
}

/** Undefined: what it names is not configured, such as a revoked key. */
function scopeRead({ organisationId, scope: row }: LimitRow, names: Names): Values | undefined {
  const { type, id, tagKey } = row;
  if (!isOneOf(VALUE_SCOPES, type)) {
    const found = scopeNamed(type, id, names);
    return found && { ...found };
  }
  const tag = tagKey === undefined ? {} : { tagKey };
  if (id === organisationId) return { type, ...tag };
  for (const owner of ['TEAM', 'API_KEY']) {
    const found = scopeNamed(owner, id, names);
    if (found !== undefined) return { ...found, type, of: owner, ...tag };
  }
  return undefined;
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
