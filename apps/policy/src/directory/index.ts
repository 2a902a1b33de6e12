// The cache of what the catalog knows about keys: one plan per key, refreshed when it is old,
// dropped when the catalog announces a change. Decisions are in ../decide.
export type { AliasPlan } from './alias-plan';
export type { AttributionRules } from './attribution-rules';
export { createApplyChange } from './apply-change';
export { type AskedModel, askedModel } from './asked-model';
export { type Directory, type DirectoryDeps, createDirectory } from './directory';
export type { ArmPlan, ExperimentPlan } from './experiment-plan';
export { type ShadowedExperiment, experimentWithId, isShadowed, shadowPlan } from './shadow-plan';
export { AwayError } from './key-reads';
export { type McpServerPlan, grantedMcpServer } from './mcp-plan';
export { type PassthroughPlan, grantedPassthrough, passthroughLimits } from './passthrough-plan';
export type { OrganisationModel, PlannedPrice } from './organisation-model';
export {
  type KeyPlan,
  type ModelPlan,
  limitsOf,
  limitWithId,
  modelNamed,
  modelsOf,
  modelWithId,
  planOf,
} from './plan';
export { isPastSunset } from './retirement';
export type { PlannedLimit, PlannedValueLimit } from './planned-limits';
export { familiesOf } from './served';
export type { PlannedCandidate, RoutingPlan } from './routing-plan';
export type { PlannedScreening } from './screening-plan';
export { type InvalidationStream, type Watch, type WatchDeps, createWatch } from './watch';
