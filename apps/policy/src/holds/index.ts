// The life of a hold: taken by authorize, grown by extend, ended by settle. Also here: the ticket
// and the hold token, seeding of cold counters, epochs after data loss, issuers of stored
// responses, and orphans. Refusals before any counter is read are in ../decide, the scripts in
// ../store.
export type { Caller } from './ask';
export { type AuthorizeDeps, type KeepDecision, createAuthorize } from './authorize';
export { abandonedSettle, cancelledSettle, closeOf, entryOf } from './closing';
export { counterKind, readingsOf } from './counters';
export { type Epochs, type ShardBook, createEpochs } from './epochs';
export { type DryRun, createDryRun } from './dry-run';
export { createExtend } from './extend';
export { abandonedEnd } from './in-memory';
export { type Issuers, createIssuers } from './issuers';
export { targetOf } from './mcp';
export { type Orphans, createOrphans } from './orphans';
export { createSeeding, type SeedRequest, type Seeded } from './seeding';
export { createSettle, type Written } from './settle';
export { type SoftLimits, createSoftLimits } from './soft-limits';
export { type HeldLimit, type Ticket, decodeTicket } from './ticket';
export { dropUntold } from './untold';
export { type HoldTokens, createHoldTokens } from './hold-token';
