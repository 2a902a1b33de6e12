// The gRPC service: unary calls, the session of an edge, and health for the ops port. Invalid input
// is found here; decisions are in ../holds.
export { createConfirmKey } from './confirm-key';
export { createHandlers } from './grpc';
export { createEdgeRefusals } from './edge-refusals';
export { type Health, createHealth } from './health';
export { type Decisions, type Items, createItems } from './items';
export { createKeptDecisions } from './kept-decisions';
export { type PolicyMetrics, createPolicyMetrics } from './metrics';
export { type Refusals, createRefusals } from './refusals';
export type { SessionFloatDeps } from './session-floats';
export { createValidateKey } from './validate-key';
export { tracedItems } from './traced-items';
