import {
  DECISIONS_KEPT,
  givesModel,
  limitApplies,
  limitIdOf,
  regionsAllowedBy,
  type DecisionsKept,
  type McpRules,
  type ModelGrant,
  type RegionRule,
} from '@tollgate/contracts';
import type {
  KeptBodies__Output,
  KeyContext__Output,
  ResponseCache__Output,
  Subject__Output,
} from '@tollgate/contracts/node';

import type { AttributionRules } from './attribution-rules';
import { mcpGrantsOf, type McpServerPlan } from './mcp-plan';
import type { OrganisationModel } from './organisation-model';
import { organisationPlanOf, type OrganisationPlan } from './organisation-plan';
import {
  isCommon,
  plannedLimit,
  plannedValueLimit,
  type PlannedLimit,
  type PlannedValueLimit,
} from './planned-limits';
import { routingPlan, type RoutingPlan } from './routing-plan';

/** A model as one key may use it. */
export interface ModelPlan extends OrganisationModel {
  readonly granted: boolean;
  /** Every limit that counts a request of this key to this model. */
  readonly limits: readonly PlannedLimit[];
  /** Whether one of them counts money; a model without a price is refused then. */
  readonly countsCost: boolean;
  /** Where requests of this key to this model may be processed, sorted. Undefined: anywhere. */
  readonly regions: readonly string[] | undefined;
}

/** Everything that decisions about one key need, computed once per version of its context. */
export interface KeyPlan {
  readonly organisationId: string;
  readonly shard: number;
  readonly subject: Subject__Output;
  /** Of the plan of a shadow: whose request is repeated; screening is that of the client. */
  readonly client?: Subject__Output;
  readonly active: boolean;
  readonly inactiveReason: string;
  /** 0: never. */
  readonly expiresAtMs: number;
  readonly timeZone: string;
  readonly openCompatRoutes: boolean;
  /** Answers carry the provider's own name for the model. */
  readonly tellUpstreamModel: boolean;
  /** The output bound of requests that name none is held, and not sent. */
  readonly outputBoundUnsent: boolean;
  /** Spans of traced requests have prompts and answers. */
  readonly traceContent: boolean;
  /** Whose decisions are reported with what they are made of. */
  readonly keepDecisions: DecisionsKept;
  /** How requests use the response cache; undefined: they do not. */
  readonly responseCache: ResponseCache__Output | undefined;
  /** Which bodies of its requests are kept; undefined: none. */
  readonly keptBodies: KeptBodies__Output | undefined;
  /** Where requests may be processed, of each scope of the key that says so. */
  readonly regionRules: readonly RegionRule[];
  readonly attribution: AttributionRules;
  /** Routing policies act on the compatibility routes too. */
  readonly routeCompatRequests: boolean;
  /** The key's routing policy; undefined: none, or the organisation has switched routing off. */
  readonly routing: RoutingPlan | undefined;
  readonly mcpServerIds: readonly string[];
  /** Rules of the key's grants by server. */
  readonly mcpGrants: ReadonlyMap<string, McpRules>;
  /** Providers whose endpoints it may call as they are. */
  readonly passthroughProviderIds: ReadonlySet<string>;
  readonly organisation: OrganisationPlan;
  /** Limits of this key, its team and its user. */
  readonly ownLimits: readonly PlannedLimit[];
  /** Limits on each value that count this key's requests. */
  readonly valueLimits: readonly PlannedValueLimit[];
  /** One bit per model of the organisation, `GRANT_BITS` in a number. */
  readonly grants: readonly number[];
  /** Applied in addition to `grants` when a model is looked up. */
  readonly standingGrants: readonly ModelGrant[];
  /** Models that were looked up, by index. */
  readonly used: Map<number, ModelPlan>;
  /** Granted MCP servers that were looked up, by identifier. */
  readonly usedServers: Map<string, McpServerPlan>;
}

/** The part of a plan that is the key's own. */
export interface KeyPart {
  readonly organisation: OrganisationPlan;
  readonly grantedModelIds: readonly string[];
  readonly standingGrants?: readonly ModelGrant[];
}

/**
 * Without `part`, everything is taken from the context. A RangeError names what is invalid in the
 * catalog's reply.
 */
export function planOf(context: KeyContext__Output, part = partOf(context)): KeyPlan {
  const { subject } = context;
  if (subject === null) throw new RangeError('the key context has no subject');
  const plan = {
    organisationId: subject.organisationId,
    shard: context.shard,
    subject,
    active: context.active,
    inactiveReason: context.inactiveReason,
    expiresAtMs: context.expiresAtMs,
    timeZone: context.timeZone,
    openCompatRoutes: context.openCompatRoutes,
    tellUpstreamModel: context.tellUpstreamModel,
    outputBoundUnsent: context.outputBoundUnsent,
    traceContent: context.traceContent,
    keepDecisions: decisionsKept(context.keepDecisions),
    responseCache: context.responseCache ?? undefined,
    keptBodies: context.keptBodies ?? undefined,
    regionRules: context.allowedRegions,
    attribution: {
      trusted: context.trustedAttribution,
      tagKeys: context.tagKeys,
      refuseUnknownTags: context.refuseUnknownTags,
    },
    routeCompatRequests: context.routeCompatRequests,
    routing: undefined,
    mcpServerIds: context.mcpServerIds,
    mcpGrants: mcpGrantsOf(context),
    passthroughProviderIds: new Set(context.passthroughProviderIds),
    organisation: part.organisation,
    ownLimits: context.limits.filter((wire) => !isCommon(wire.scopeType)).map(plannedLimit),
    valueLimits: context.valueLimits.map(plannedValueLimit),
    grants: grantsOf(part),
    standingGrants: part.standingGrants ?? [],
    used: new Map(),
    usedServers: new Map(),
  };
  if (!context.routingEnabled || context.routingPolicy === null) return plan;
  const find = (modelId: string) => modelWithId(plan, modelId);
  return { ...plan, routing: routingPlan(context.routingPolicy, find) };
}

// What a later release means is kept like nothing.
function decisionsKept(told: string): DecisionsKept {
  return DECISIONS_KEPT.find((known) => known === told) ?? 'OFF';
}

function partOf(context: KeyContext__Output): KeyPart {
  return {
    organisation: organisationPlanOf(context),
    grantedModelIds: context.models.filter(({ granted }) => granted).map(({ modelId }) => modelId),
  };
}

const GRANT_BITS = 30;
const NO_GRANTS: readonly number[] = [];

function grantsOf({ organisation, grantedModelIds }: KeyPart): readonly number[] {
  if (grantedModelIds.length === 0) return NO_GRANTS;
  const grants = Array.from(
    { length: Math.ceil(organisation.models.length / GRANT_BITS) },
    () => 0,
  );
  for (const modelId of grantedModelIds) {
    const place = organisation.withId.get(modelId);
    if (place === undefined) continue;
    const at = Math.floor(place / GRANT_BITS);
    grants[at] = (grants[at] ?? 0) | (1 << (place % GRANT_BITS));
  }
  return grants;
}

/** By name, or by id unless another model has that name. */
export function modelNamed(plan: KeyPlan, name: string): ModelPlan | undefined {
  return modelAt(plan, plan.organisation.named.get(name));
}

export function modelWithId(plan: KeyPlan, modelId: string): ModelPlan | undefined {
  return modelAt(plan, plan.organisation.withId.get(modelId));
}

/** All models of the organisation, granted or not. */
export function modelsOf(plan: KeyPlan): readonly ModelPlan[] {
  return plan.organisation.models.map(
    (model, place) => plan.used.get(place) ?? modelOfKey(plan, model, place),
  );
}

/** Every limit of the key, including those of granted models and MCP servers. */
export function limitsOf(plan: KeyPlan): readonly PlannedLimit[] {
  const common = plan.organisation.limits.filter(({ scopeType, scopeId }) => {
    if (scopeType === 'MCP_SERVER') return plan.mcpGrants.has(scopeId);
    return scopeType !== 'MODEL' || modelWithId(plan, scopeId)?.granted;
  });
  return [...common, ...plan.ownLimits];
}

/** By the id of a limit, or of the counter of a value. */
export function limitWithId(plan: KeyPlan, limitId: string): PlannedLimit | undefined {
  const own = limitIdOf(limitId);
  if (own !== limitId) return plan.valueLimits.find((limit) => limit.limitId === own);
  return (
    plan.ownLimits.find((limit) => limit.limitId === limitId) ??
    plan.organisation.limitsById.get(limitId)
  );
}

// An organisation may have many models and very many keys, and each key uses few models: the key's
// part of a model is computed on first use.
function modelAt(plan: KeyPlan, place: number | undefined): ModelPlan | undefined {
  if (place === undefined) return undefined;
  const known = plan.used.get(place);
  if (known !== undefined) return known;
  const model = plan.organisation.models[place];
  if (model === undefined) return undefined;
  const made = modelOfKey(plan, model, place);
  plan.used.set(place, made);
  return made;
}

function modelOfKey(
  { subject, grants, standingGrants, ownLimits, regionRules, valueLimits, client }: KeyPlan,
  model: OrganisationModel,
  place: number,
): ModelPlan {
  // Rates are for clients: a shadow must not take their place.
  const limits = [...model.limits, ...ownLimits].filter(
    (limit) => limitApplies(limit, subject, model) && !(client && limit.rate),
  );
  const { name, entry } = model;
  const single =
    ((grants[Math.floor(place / GRANT_BITS)] ?? 0) & (1 << (place % GRANT_BITS))) !== 0;
  const granted =
    single ||
    standingGrants.some((grant) => givesModel(grant, { name, providerId: entry.providerId }));
  return {
    ...model,
    granted,
    limits,
    countsCost: [...limits, ...valueLimits].some((limit) => limit.metric === 'COST'),
    regions: regionsAllowedBy([
      ...regionRules,
      { scopeType: 'MODEL', regions: entry.allowedRegions },
    ]),
  };
}
