// The edge: clients' requests in, providers' answers out, and policy asked before and told after.
// Routes are rows of routes.ts; the way of a request is pipeline/index.ts.

export { startEdge, type Edge, type EdgeDeps } from './app';
export { configShape, type Config } from './config';
