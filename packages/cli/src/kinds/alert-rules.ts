import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { name, numbered, objectName, ordinal } from './fields';
import type { Ids, Kind, Names, Place, Reference, Values } from './kind';

const limit = z.strictObject({ name: objectName, ordinal: ordinal.optional() }).nullable();
const budget = limit.default(null).meta({
  description:
    'Only this budget, with the name that plans give it: `TEAM search DAILY`. Null: all.',
});
const quota = limit.default(null).meta({
  description:
    'Only this quota, with the name that plans give it: `MODEL chat TOKENS DAILY`. Null: all.',
});

const [budgetUsed, budgetForecast, quotaUsed, ...others] = rest.organisationAlertCondition.options;
const condition = z.discriminatedUnion('kind', [
  budgetUsed.omit({ budgetId: true }).extend({ budget }),
  budgetForecast.omit({ budgetId: true }).extend({ budget }),
  quotaUsed.omit({ quotaId: true }).extend({ quota }),
  ...others,
  ...rest.platformAlertCondition.options,
]);

const destination = z.union([
  objectName,
  z.strictObject({ name: objectName, ordinal: ordinal.optional() }),
]);

const spec = z.strictObject({
  condition: condition.meta({
    description:
      'LEDGER_QUARANTINE and LEDGER_LAG are for rules of the platform, the others for those of an organisation.',
  }),
  destinations: z
    .array(destination)
    .max(rest.MAX_ALERT_DESTINATIONS)
    .default([])
    .meta({ description: 'Destinations of alerts by name. Empty: alerts are only in the log.' }),
  status: z.enum(rest.SWITCH_STATUSES).default('ACTIVE'),
});

type Spec = z.output<typeof spec>;
type Destination = z.output<typeof destination>;

const named = (given: Destination): { name: string; ordinal: number } =>
  typeof given === 'string'
    ? { name: given, ordinal: 1 }
    : { name: given.name, ordinal: given.ordinal ?? 1 };

/** The limit that a condition names. */
function limitOf(given: Spec['condition']) {
  if ('budget' in given && given.budget !== null)
    return { kind: 'Budget', field: 'budget', ...named(given.budget) };
  if ('quota' in given && given.quota !== null)
    return { kind: 'Quota', field: 'quota', ...named(given.quota) };
  return undefined;
}

function conditionBody(given: Spec['condition'], ids: Ids): Values {
  const found = limitOf(given);
  const id = found === undefined ? null : ids.of(found.kind, found.name, found.ordinal);
  if ('budget' in given) {
    const { budget: _budget, ...fields } = given;
    return { ...fields, budgetId: id };
  }
  if ('quota' in given) {
    const { quota: _quota, ...fields } = given;
    return { ...fields, quotaId: id };
  }
  return given;
}

/** Undefined: the limit that it names is not configured. */
function conditionRead(row: rest.AlertRule['condition'], names: Names): Values | undefined {
  if ('budgetId' in row) {
    const { budgetId, ...fields } = row;
    if (budgetId === null) return { ...fields, budget: null };
    const found = names.of('Budget', budgetId);
    return found && { ...fields, budget: numbered(found) };
  }
  if ('quotaId' in row) {
    const { quotaId, ...fields } = row;
    if (quotaId === null) return { ...fields, quota: null };
    const found = names.of('Quota', quotaId);
    return found && { ...fields, quota: numbered(found) };
  }
  return row;
}

const operations = ({ organisation }: Place) =>
  organisation === null
    ? {
        create: rest.createPlatformAlertRule,
        get: rest.getPlatformAlertRule,
        update: rest.updatePlatformAlertRule,
        remove: rest.deletePlatformAlertRule,
      }
    : {
        create: rest.createAlertRule,
        get: rest.getAlertRule,
        update: rest.updateAlertRule,
        remove: rest.deleteAlertRule,
      };

/** What raises an alert, and where its messages go: of an organisation, or of the platform. */
export const alertRules: Kind<rest.AlertRule> = {
  kind: 'AlertRule',
  level: 'either',
  name,
  repeats: true,
  spec,
  idParameter: 'alertRuleId',
  platformIdParameter: 'platformAlertRuleId',
  sets: ['destinations'],
  renamed: { destinations: 'destinationIds' },
  fixed: ['condition.kind'],
  operations,
  list: (api, { organisation }) =>
    organisation === null
      ? api.all(rest.listPlatformAlertRules, {}, { sort: 'createdAt' })
      : api.all(rest.listAlertRules, { organisationId: organisation.id }, { sort: 'createdAt' }),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row, names) => {
    const read = conditionRead(row.condition, names);
    if (read === undefined) return undefined;
    const found = row.destinationIds.flatMap((id) => names.of('AlertDestination', id) ?? []);
    // Without one of its destinations it would be another rule.
    if (found.length < row.destinationIds.length) return undefined;
    const destinations = found.map((one) => (one.ordinal === 1 ? one.name : { ...one }));
    return { name: row.name, spec: { condition: read, destinations, status: row.status } };
  },
  // A destination has one form, and the order of thresholds and scopes means nothing.
  normal: (given) => {
    const { condition: wanted, destinations, ...fields } = spec.parse(given);
    return { ...fields, condition: normalCondition(wanted), destinations: destinations.map(named) };
  },
  references: (given): Reference[] => {
    const { condition: wanted, destinations } = spec.parse(given);
    const found = limitOf(wanted);
    return [
      ...(found === undefined ? [] : [{ ...referenceTo(found), path: ['condition', found.field] }]),
      ...destinations.map((one, index) => ({
        kind: 'AlertDestination',
        ...named(one),
        path: ['destinations', index],
      })),
    ];
  },
  body: (given, ids, ruleName) => {
    const { condition: wanted, destinations, status } = spec.parse(given);
    return {
      name: ruleName,
      condition: conditionBody(wanted, ids),
      destinationIds: destinations.map((one) => {
        const { name: destinationName, ordinal: number } = named(one);
        return ids.of('AlertDestination', destinationName, number);
      }),
      status,
    };
  },
};

const referenceTo = ({
  kind,
  name: limitName,
  ordinal: number,
}: {
  kind: string;
  name: string;
  ordinal: number;
}) => ({ kind, name: limitName, ordinal: number });

function normalCondition(given: Spec['condition']): Values {
  const found = limitOf(given);
  return {
    ...given,
    ...(found === undefined ? {} : { [found.field]: { name: found.name, ordinal: found.ordinal } }),
    ...('thresholds' in given ? { thresholds: given.thresholds.toSorted((a, b) => a - b) } : {}),
    ...('scopeTypes' in given ? { scopeTypes: given.scopeTypes?.toSorted() ?? null } : {}),
  };
}
