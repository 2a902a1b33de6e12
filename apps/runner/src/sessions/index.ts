// What clients talk to: sessions of the revisions up to 2025-11-25, and channels shared by the requests
// of one principal since 2026-07-28.
export { refusalHeaders, refusalText, SESSION_NOT_FOUND, type Refusal } from './refusal';
export type { Owner, Target } from './registry';
export { createSessions, type Sessions } from './sessions';
export type { StatefulSession } from './stateful';
