import { defineMigration } from './define-migration';

/** Values that a limit has told of within the hour are counted by it; lifetimes keep their rows for 90 days. */
export const softLimitEventCreatedAt = defineMigration(
  'SoftLimitEventCreatedAt1764000000058',
  `
  CREATE INDEX soft_limit_event_created_at_idx ON soft_limit_event (created_at);
`,
  `
  DROP INDEX soft_limit_event_created_at_idx;
`,
);
