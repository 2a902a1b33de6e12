// The edge receives clients' requests, asks policy, calls providers and settles. Routes are rows of
// routes.ts; the path of a request is pipeline/index.ts.

export { startEdge, type Edge, type EdgeDeps } from './app';
export { configShape, type Config } from './config';
