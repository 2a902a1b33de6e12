/**
 * Changes that the data plane must hear of: written in the change's transaction, read in commit
 * order, pruned after a day.
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
