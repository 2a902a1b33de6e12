import type { KeyContext__Output } from '@tollgate/contracts/node';

import { aliasPlan, type AliasPlan } from './alias-plan';
import { experimentPlan, type ExperimentPlan } from './experiment-plan';
import { organisationMcpServer, type OrganisationMcpServer } from './mcp-plan';
import { organisationModel, type OrganisationModel } from './organisation-model';
import { passthroughPlans, type PassthroughPlan } from './passthrough-plan';
import { isCommon, plannedLimit, type PlannedLimit } from './planned-limits';
import { plannedScreening, type PlannedScreening } from './screening-plan';

/** The part of a plan that all keys of an organisation share: one object for any number of keys. */
export interface OrganisationPlan {
  readonly models: readonly OrganisationModel[];
  /** By identifier. */
  readonly mcpServers: ReadonlyMap<string, OrganisationMcpServer>;
  /** By name and id. */
  readonly passthrough: ReadonlyMap<string, PassthroughPlan>;
  /** Index in `models` by name, and by id unless another model has that name. */
  readonly named: ReadonlyMap<string, number>;
  readonly withId: ReadonlyMap<string, number>;
  /** By name. */
  readonly aliases: ReadonlyMap<string, AliasPlan>;
  /** By the name that requests ask for. */
  readonly experiments: ReadonlyMap<string, ExperimentPlan>;
  readonly limits: readonly PlannedLimit[];
  /** With the budgets of shadows, which are not among `limits`. */
  readonly limitsById: ReadonlyMap<string, PlannedLimit>;
  readonly screening: readonly PlannedScreening[];
}

type OrganisationPart = Pick<
  KeyContext__Output,
  'aliases' | 'experiments' | 'models' | 'limits' | 'mcpServers' | 'passthrough' | 'screening'
>;

/** Uses only the limits of the organisation and its models. A RangeError names what is invalid. */
export function organisationPlanOf({
  aliases,
  experiments,
  models,
  limits,
  mcpServers,
  passthrough,
  screening,
}: OrganisationPart): OrganisationPlan {
  const common = limits.filter((wire) => isCommon(wire.scopeType)).map(plannedLimit);
  const all = common.filter((limit) => limit.scopeType === 'ORGANISATION');
  const modelLimits = common.filter((limit) => limit.scopeType === 'MODEL');
  const ofModels = Map.groupBy(modelLimits, (limit) => limit.scopeId);
  const servers = mcpServers.map((entry) => organisationMcpServer(entry, common));
  const names = new Map(models.map(({ modelId, name }) => [modelId, name]));
  const nameOf = (modelId: string) => names.get(modelId);
  const planned = models.map((entry) => organisationModel(entry, all, ofModels, nameOf));
  const split = new Map(experiments.map((entry) => [entry.model, experimentPlan(entry)]));
  const withId = new Map(planned.map((model, place) => [model.modelId, place]));
  return {
    models: planned,
    mcpServers: new Map(servers.map((server) => [server.entry.identifier, server])),
    passthrough: passthroughPlans(passthrough),
    named: new Map([...withId, ...planned.map((model, place) => [model.name, place] as const)]),
    withId,
    aliases: new Map(aliases.map((entry) => [entry.name, aliasPlan(entry, nameOf)])),
    experiments: split,
    limits: common,
    limitsById: new Map(
      [...common, ...shadowBudgets(split)].map((limit) => [limit.limitId, limit]),
    ),
    screening: screening.map(plannedScreening),
  };
}

function shadowBudgets(experiments: ReadonlyMap<string, ExperimentPlan>): PlannedLimit[] {
  return [...experiments.values()].flatMap(({ shadow }) => shadow?.budget ?? []);
}
