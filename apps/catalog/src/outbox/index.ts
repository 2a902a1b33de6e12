/**
 * Changes that the data plane must hear of: written with the change itself, read in commit order,
 * pruned when every reader has long passed them.
 */
export {
  appendOutbox,
  OUTBOX_CHANNEL,
  raiseRevision,
  type OutboxEventInput,
  type Transaction,
} from './append';
export { outboxBounds, pruneOutbox, readOutbox, type OutboxRow } from './read';
export { createOutboxWake, type OutboxWake } from './wake';
