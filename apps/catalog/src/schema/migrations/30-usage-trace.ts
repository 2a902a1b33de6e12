import { defineMigration } from './define-migration';

/** The trace that a request belongs to. */
export const usageTrace = defineMigration(
  'UsageTrace1764000000030',
  `
  ALTER TABLE usage_record ADD COLUMN trace_id text;
`,
  `
  ALTER TABLE usage_record DROP COLUMN trace_id;
`,
);
