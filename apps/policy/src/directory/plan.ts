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

/** A model as all keys of its organisation share it. */
export interface OrganisationModel {
  readonly entry: ModelEntry__Output;
  readonly modelId: string;
  readonly name: string;
  readonly type: ModelType;
  readonly providerType: ProviderType;
  /** Ascending by the instant they take effect at. */
  readonly prices: readonly PlannedPrice[];
  readonly priceList: readonly Price[];
  /** Undefined: nobody has said what it can do. */
  readonly capabilities: ReadonlySet<Capability> | undefined;
  /** The model's own and the organisation's. */
  readonly limits: readonly PlannedLimit[];
}

/** What all keys of an organisation have in common: one object, however many keys there are. */
export interface OrganisationPlan {
  readonly models: readonly OrganisationModel[];
  /** Places in `models`. A model can be asked for by its id, unless another one has that as its name. */
  readonly named: ReadonlyMap<string, number>;
  readonly withId: ReadonlyMap<string, number>;
  readonly limits: readonly PlannedLimit[];
  readonly limitsById: ReadonlyMap<string, PlannedLimit>;
}

/** A model as one key may use it. */
export interface ModelPlan extends OrganisationModel {
  readonly granted: boolean;
  /** Every limit that counts a request of this key to this model. */
  readonly limits: readonly PlannedLimit[];
  /** Whether one of them counts money, so that a model without a price cannot be served. */
  readonly countsCost: boolean;
}

interface Models {
  readonly get: (name: string) => ModelPlan | undefined;
  readonly has: (name: string) => boolean;
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
  /** By name, or by id. */
  readonly models: Models;
  readonly modelsById: Models & { readonly values: () => readonly ModelPlan[] };
  /** Every limit of the key, model limits of granted models included. */
  readonly limits: () => readonly PlannedLimit[];
  readonly limitsById: { readonly get: (limitId: string) => PlannedLimit | undefined };
  readonly mcpServerIds: readonly string[];
}

type OrganisationPart = Pick<KeyContext__Output, 'models' | 'limits'>;

/** Of limits, those of the organisation and its models count. A RangeError names what cannot be. */
export function organisationPlanOf({ models, limits }: OrganisationPart): OrganisationPlan {
  const common = limits.filter((wire) => isCommon(wire.scopeType)).map(plannedLimit);
  const all = common.filter((limit) => limit.scopeType === 'ORGANISATION');
  const ofModels = new Map<string, PlannedLimit[]>();
  for (const limit of common) {
    if (limit.scopeType !== 'MODEL') continue;
    const own = ofModels.get(limit.scopeId);
    if (own === undefined) ofModels.set(limit.scopeId, [limit]);
    else own.push(limit);
  }
  const planned = models.map((entry) => organisationModel(entry, all, ofModels));
  const withId = new Map(planned.map((model, place) => [model.modelId, place]));
  return {
    models: planned,
    named: new Map([...withId, ...planned.map((model, place) => [model.name, place] as const)]),
    withId,
    limits: common,
    limitsById: new Map(common.map((limit) => [limit.limitId, limit])),
  };
}

/** What the organisation's part does not say of a key. */
export interface KeyPart {
  readonly organisation: OrganisationPlan;
  readonly grantedModelIds: readonly string[];
}

/**
 * By default all of it stands in the context. A RangeError names what in the catalog's answer cannot be.
 */
export function planOf(context: KeyContext__Output, part = partOf(context)): KeyPlan {
  const { subject } = context;
  if (subject === null) throw new RangeError('a key context has a subject');
  const own = context.limits.filter((wire) => !isCommon(wire.scopeType)).map(plannedLimit);
  const models = modelsOf(subject, part, own);
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
        ? routingPlan(context.routingPolicy, models.byId)
        : undefined,
    models: models.byName,
    modelsById: models.byId,
    limits: () => [
      ...part.organisation.limits.filter(
        ({ scopeType, scopeId }) => scopeType !== 'MODEL' || models.byId.get(scopeId)?.granted,
      ),
      ...own,
    ],
    limitsById: {
      get: (limitId) =>
        own.find((limit) => limit.limitId === limitId) ?? part.organisation.limitsById.get(limitId),
    },
    mcpServerIds: context.mcpServerIds,
  };
}

function partOf(context: KeyContext__Output): KeyPart {
  return {
    organisation: organisationPlanOf(context),
    grantedModelIds: context.models.filter(({ granted }) => granted).map(({ modelId }) => modelId),
  };
}

// An organisation may have many models and very many keys, of which each uses a few: what differs
// from key to key is worked out when it is asked for, and a grant is kept as a bit.
function modelsOf(
  subject: Subject__Output,
  { organisation, grantedModelIds }: KeyPart,
  own: readonly PlannedLimit[],
) {
  const granted = new Uint8Array(Math.ceil(organisation.models.length / 8));
  for (const modelId of grantedModelIds) {
    const place = organisation.withId.get(modelId);
    if (place !== undefined) granted[place >> 3] = (granted[place >> 3] ?? 0) | (1 << (place & 7));
  }
  const used = new Map<number, ModelPlan>();

  const planned = (model: OrganisationModel, place: number): ModelPlan => {
    const limits = [...model.limits, ...own].filter((limit) =>
      limitApplies(limit, subject, model.modelId),
    );
    return {
      ...model,
      granted: ((granted[place >> 3] ?? 0) & (1 << (place & 7))) !== 0,
      limits,
      countsCost: limits.some((limit) => limit.metric === 'COST'),
    };
  };
  const at = (place: number | undefined): ModelPlan | undefined => {
    if (place === undefined) return undefined;
    const known = used.get(place);
    if (known !== undefined) return known;
    const model = organisation.models[place];
    if (model === undefined) return undefined;
    const made = planned(model, place);
    used.set(place, made);
    return made;
  };
  const by = (places: ReadonlyMap<string, number>): Models => ({
    get: (name) => at(places.get(name)),
    has: (name) => places.has(name),
  });
  return {
    byName: by(organisation.named),
    byId: {
      ...by(organisation.withId),
      values: () =>
        organisation.models.map((model, place) => used.get(place) ?? planned(model, place)),
    },
  };
}

function isCommon(scopeType: string): boolean {
  return scopeType === 'ORGANISATION' || scopeType === 'MODEL';
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

function organisationModel(
  entry: ModelEntry__Output,
  limitsOfAll: readonly PlannedLimit[],
  limitsOfModels: ReadonlyMap<string, readonly PlannedLimit[]>,
): OrganisationModel {
  const { type, providerType } = entry;
  if (!isOneOf(MODEL_TYPES, type)) throw new RangeError(`model ${entry.modelId}: type`);
  if (!isOneOf(PROVIDER_TYPES, providerType)) {
    throw new RangeError(`model ${entry.modelId}: providerType`);
  }
  const prices = entry.prices.map((wire) => ({ wire, price: priceFromWire(wire) }));
  return {
    entry,
    modelId: entry.modelId,
    name: entry.name,
    type,
    providerType,
    prices,
    priceList: prices.map(({ price }) => price),
    capabilities: capabilitiesOf(entry.capabilities),
    limits: [...limitsOfAll, ...(limitsOfModels.get(entry.modelId) ?? [])],
  };
}

// A word that this version does not know says nothing to it.
function capabilitiesOf(stated: string): ReadonlySet<Capability> | undefined {
  if (stated === '') return undefined;
  return new Set(stated.split(',').filter((word) => isOneOf(CAPABILITIES, word)));
}
