// Policy decides: may this key make this call, what is held for it, and what did it cost in the
// end. directory/ knows what the catalog says of a key, decide/ is the pure judgement, holds/ the
// life of a hold, store/ the counters in Redis, ledger/ the way to the catalog's books, service/
// the doors. app.ts puts them together, main.ts starts them.
export { type Policy, type PolicyDeps, startPolicy } from './app';
export { type Config, configShape, loadConfig } from './config';
