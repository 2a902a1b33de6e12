import { defineMigration } from './define-migration';

/**
 * Whether spans of traced requests have prompts and answers. The release before leaves the column out of
 * its INSERTs, so it has a default.
 */
export const traceContent = defineMigration(
  'TraceContent1764000000032',
  `
  ALTER TABLE organisation ADD COLUMN trace_content boolean NOT NULL DEFAULT false;
`,
  `
  ALTER TABLE organisation DROP COLUMN trace_content;
`,
);
