// The vocabulary that all services and the console share. No I/O and nothing of Node: this entry is
// bundled for browsers too. Parts that need Node (protos, cryptography, addresses) are in
// ./node.ts.
export * from './alerts';
export * from './aliases';
export * from './canonical-json';
export * from './clouds';
export * from './enums';
export * from './error-headers';
export * from './experiments';
export * from './errors';
export * from './gateway-error';
export * from './leases';
export * from './limits';
export * from './mcp-rules';
export * from './mcp-runner';
export * from './model-grants';
export * from './money';
export * from './operations';
export * from './passthrough';
export * from './prices';
export * from './rendezvous';
export * from './provider-types';
export * from './regions';
export * from './personal-data-types';
export * from './screening';
export type { ParameterCheck } from './screening-whole';
export * from './serving';
export * from './shards';
export * from './units';
export * from './upstream-apis';
export * from './attribution';
export * from './usage-bounds';
export * from './usage-fields';
export * from './usage-tags';
export * from './vendors';
export * from './windows';
export * as rest from './rest';
export * from './rest-client';
