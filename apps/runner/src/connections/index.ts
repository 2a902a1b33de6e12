// What the catalog says about a server, and how it is reached.
export { createDirectory, type Directory } from './catalog';
export { createConnections, type Connections } from './connections';
export { resolveTarget, type TargetDeps } from './targets';
export { createSseAuths } from './sse-auths';
