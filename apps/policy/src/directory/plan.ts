import {
  CAPABILITIES,
  type Capability,
  type Limit,
  MODEL_TYPES,
  type ModelType,
  PROVIDER_TYPES,
  type Price,
  type ProviderType,
  isOneOf,
  limitApplies,
  limitFromWire,
  priceFromWire,
} from '@tollgate/contracts';
import type {
  KeyContext__Output,
  ModelEntry__Output,
  Price__Output,
  Subject__Output,
} from '@tollgate/contracts/node';

import { type RoutingPlan, routingPlan } from './routing-plan';

/** A limit as it is used thousands of times between two changes of it. */
export interface PlannedLimit extends Limit {
  /** Per-minute rates and concurrency: counted by the clock of the moment, not by a window. */
  readonly rate: boolean;
}

export interface PlannedPrice {
  readonly price: Price;
  readonly wire: Price__Output;
}

export interface ModelPlan {
  readonly entry: ModelEntry__Output;
  readonly modelId: string;
  readonly name: string;
  readonly type: ModelType;
  readonly providerType: ProviderType;
  readonly granted: boolean;
  /** Ascending by the instant they take effect at. */
  readonly prices: readonly PlannedPrice[];
  readonly priceList: readonly Price[];
  /** Every limit that counts a request of this key to this model. */
  readonly limits: readonly PlannedLimit[];
  /** Whether one of them counts money, so that a model without a price cannot be served. */
  readonly countsCost: boolean;
  /** Undefined: nobody has said what it can do. */
  readonly capabilities: ReadonlySet<Capability> | undefined;
}

/** All that decisions about one key need, worked out once per version of its context. */
export interface KeyPlan {
  readonly organisationId: string;
  readonly shard: number;
  readonly subject: Subject__Output;
  readonly active: boolean;
  readonly inactiveReason: string;
  /** 0: never. */
  readonly expiresAtMs: number;
  readonly timeZone: string;
  readonly openCompatRoutes: boolean;
  /** Routing policies act on the compatibility routes too. */
  readonly routeCompatRequests: boolean;
  /** The key's own; undefined: none, or the organisation has switched routing off. */
  readonly routing: RoutingPlan | undefined;
  readonly models: ReadonlyMap<string, ModelPlan>;
  readonly modelsById: ReadonlyMap<string, ModelPlan>;
  /** Every limit of the key, model limits of granted models included. */
  readonly limits: readonly PlannedLimit[];
  readonly limitsById: ReadonlyMap<string, PlannedLimit>;
  readonly mcpServerIds: readonly string[];
}

/** A RangeError names what in the catalog's answer cannot be. */
export function planOf(context: KeyContext__Output): KeyPlan {
  const { subject } = context;
  if (subject === null) throw new RangeError('a key context has a subject');
  const limits = context.limits.map(plannedLimit);
  const models = context.models.map((entry) => modelPlan(entry, subject, limits));
  const granted = new Set(models.filter((model) => model.granted).map((model) => model.modelId));
  const modelsById = new Map(models.map((model) => [model.modelId, model]));
  return {
    organisationId: subject.organisationId,
    shard: context.shard,
    subject,
    active: context.active,
    inactiveReason: context.inactiveReason,
    expiresAtMs: context.expiresAtMs,
    timeZone: context.timeZone,
    openCompatRoutes: context.openCompatRoutes,
    routeCompatRequests: context.routeCompatRequests,
    routing:
      context.routingEnabled && context.routingPolicy
        ? routingPlan(context.routingPolicy, modelsById)
        : undefined,
    // A model can be asked for by its id as well, unless another one has that as its name.
    models: new Map([...modelsById, ...models.map((model) => [model.name, model] as const)]),
    modelsById,
    limits: limits.filter((limit) => limit.scopeType !== 'MODEL' || granted.has(limit.scopeId)),
    limitsById: new Map(limits.map((limit) => [limit.limitId, limit])),
    mcpServerIds: context.mcpServerIds,
  };
}

function plannedLimit(wire: KeyContext__Output['limits'][number]): PlannedLimit {
  const limit = limitFromWire(wire);
  const rate = limit.kind !== 'BUDGET' && limit.kind !== 'QUOTA';
  if (!rate && limit.period === '' && limit.windowSeconds <= 0) {
    throw new RangeError(`limit ${limit.limitId}: neither a period nor a number of seconds`);
  }
  if (limit.kind === 'QUOTA' && limit.metric === '') {
    throw new RangeError(`limit ${limit.limitId}: a quota has a metric`);
  }
  return { ...limit, rate };
}

function modelPlan(
  entry: ModelEntry__Output,
  subject: Subject__Output,
  limits: readonly PlannedLimit[],
): ModelPlan {
  const { type, providerType } = entry;
  if (!isOneOf(MODEL_TYPES, type)) throw new RangeError(`model ${entry.modelId}: type`);
  if (!isOneOf(PROVIDER_TYPES, providerType)) {
    throw new RangeError(`model ${entry.modelId}: providerType`);
  }
  const prices = entry.prices.map((wire) => ({ wire, price: priceFromWire(wire) }));
  const own = limits.filter((limit) => limitApplies(limit, subject, entry.modelId));
  return {
    entry,
    modelId: entry.modelId,
    name: entry.name,
    type,
    providerType,
    granted: entry.granted,
    prices,
    priceList: prices.map(({ price }) => price),
    limits: own,
    countsCost: own.some((limit) => limit.metric === 'COST'),
    capabilities: capabilitiesOf(entry.capabilities),
  };
}

// A word that this version does not know says nothing to it.
function capabilitiesOf(stated: string): ReadonlySet<Capability> | undefined {
  if (stated === '') return undefined;
  return new Set(stated.split(',').filter((word) => isOneOf(CAPABILITIES, word)));
}
