// Policy decides: may this key make this call, what is held for it, and what did it cost.
// directory/ caches what the catalog knows of keys, decide/ has the pure checks, holds/ the life of
// a hold, routing/ the choice of candidates, store/ the counters in Redis, ledger/ the way to the
// catalog's books, service/ the gRPC interface. app.ts connects them, main.ts starts them;
// docs/policy-inside.md is the map.
export { type Policy, type PolicyDeps, startPolicy } from './app';
export { type Config, configShape, loadConfig } from './config';
