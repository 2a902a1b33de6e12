// Bodies of requests that their organisation keeps. `begin` copies the request after screening, `recorder` reads the
// answer as it goes to the client, `end` hands both over, `keeper` masks them after the request and stores them in
// the catalog. Nothing here runs for a request without the setting.

export { beginBodies } from './begin';
export { endBodies } from './end';
export { createBodyKeeper, type BodyKeeperDeps } from './keeper';
