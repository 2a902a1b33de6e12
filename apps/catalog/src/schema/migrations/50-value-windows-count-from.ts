import { defineMigration } from './define-migration';

/**
 * From when the requests of a value's total were booked. A total that was forgotten and began again does not know the
 * requests before it, so a refund of one gives no credit. Rows that exist count from the beginning. The release before
 * leaves the column out of its INSERTs and gets now(), which is right: it inserts with the first request.
 */
export const valueWindowsCountFrom = defineMigration(
  'ValueWindowsCountFrom1764000000050',
  `
  ALTER TABLE value_window ADD COLUMN counts_from timestamptz NOT NULL DEFAULT '-infinity';
  ALTER TABLE value_window ALTER COLUMN counts_from SET DEFAULT now();
`,
  `
  ALTER TABLE value_window DROP COLUMN counts_from;
`,
);
