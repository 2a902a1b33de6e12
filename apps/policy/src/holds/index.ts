// The life of a hold: taken by authorize, grown by extend, ended by settle. What a hold is, as its
// token says; how cold counters become known; how a shard is opened after data loss; where a response was made that
// another request continues; what becomes of a hold that nobody heard of. Which requests
// are refused before any counter is asked is in ../decide, the scripts are in ../store.
export { type AuthorizeDeps, createAuthorize } from './authorize';
export { abandonedSettle, cancelledSettle, closeOf, entryOf } from './closing';
export { counterKind, readingsOf } from './counters';
export { type Epochs, type ShardBook, createEpochs } from './epochs';
export { createExtend } from './extend';
export { type Issuers, createIssuers } from './issuers';
export { type Orphans, createOrphans } from './orphans';
export { createSeeding, type SeedRequest, type Seeded } from './seeding';
export { createSettle } from './settle';
export { type SoftLimits, createSoftLimits } from './soft-limits';
export { type HeldLimit, type Ticket, decodeTicket } from './ticket';
export { type HoldTokens, createHoldTokens } from './token';
