import { defineMigration } from './define-migration';

/**
 * Whether requests without an output bound are sent with the one that is held for them. The release
 * before leaves the column out of its INSERTs, so it has a default.
 */
export const outputBound = defineMigration(
  'OutputBound1764000000022',
  `
  ALTER TABLE organisation ADD COLUMN send_output_bound boolean NOT NULL DEFAULT true;
`,
  `
  ALTER TABLE organisation DROP COLUMN send_output_bound;
`,
);
