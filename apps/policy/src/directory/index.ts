// What the catalog knows of each key, kept close: one plan per key, read once, refreshed when it
// is old, dropped when the catalog says that something changed. Decisions live in ../decide.
export { createApplyChange } from './apply-change';
export { type Directory, type DirectoryDeps, createDirectory } from './directory';
export { AwayError } from './key-reads';
export {
  type KeyPlan,
  type ModelPlan,
  type OrganisationModel,
  type PlannedLimit,
  type PlannedPrice,
  limitsOf,
  limitWithId,
  modelNamed,
  modelsOf,
  modelWithId,
  planOf,
} from './plan';
export { familiesOf } from './served';
export type { PlannedCandidate, RoutingPlan } from './routing-plan';
export { type InvalidationStream, type Watch, type WatchDeps, createWatch } from './watch';
