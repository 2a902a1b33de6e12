import { defineMigration } from './define-migration';

/**
 * Counting the values that a limit reported in the last hour reads this index. Lifetime windows keep their rows for 90 days,
 * so a limit may have many.
 */
export const softLimitEventCreatedAt = defineMigration(
  'SoftLimitEventCreatedAt1764000000058',
  `
  CREATE INDEX soft_limit_event_created_at_idx ON soft_limit_event (created_at);
`,
  `
  DROP INDEX soft_limit_event_created_at_idx;
`,
);
