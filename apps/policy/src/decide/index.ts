// Pure decisions: which check refuses, how much a request may use at most, what each limit counts
// of it, and the text of a refusal. No I/O; the counters are in ../store.
export { valueLimitsOf, valueScopeOf } from './value-limits';
export type { Ask, CheckName, NoteCheck, Refusal } from './ask';
export { attributionOf } from './attribution';
export { type LeftOutReason, checkAccess, checkRouted, keyIsValid, whyLeftOut } from './checks';
export { inExperiment } from './experiment';
export { shadowAccess, shadowOf } from './shadow';
export { itemNotFound } from './continued';
export { type McpAccess, mcpAccess } from './mcp';
export { type PassthroughPlace, passthroughAccess } from './passthrough';
export { isUnplaced, modelForConversation } from './conversations';
export {
  type Denied,
  type Need,
  type OutputBound,
  type Reading,
  denialOf,
  limitStateOf,
  refuseByLimits,
  tightestFirst,
  unknownStateOf,
} from './denials';
export {
  allowedSentence,
  connectionFor,
  mcpRegionFits,
  regionAt,
  regionDetails,
  regionServes,
} from './regions';
export { type Issuer, type StoredItems, mayUseStored, ownerOf } from './owner';
export {
  type CandidateModel,
  type HoldSize,
  type SizedCandidate,
  STEP_TOKENS,
  dearestOutputPrice,
  isExpected,
  lowerToAfford,
  sizeOf,
  sizeWith,
} from './size';
export { outputSourceOf } from './output-source';
export { heldAmount, stepAmount, stepCost } from './amounts';
export { screeningOf } from './screening';
export { heldTools } from './server-tools';
export { tiersAsked } from './tiers';
export { LEFT_OUT_CODES, LEFT_OUT_RANKED, type LeftOutCode } from './left-out-codes';
