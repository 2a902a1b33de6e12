import { defineMigration } from './define-migration';

/**
 * The latest request that counted in a value's total, whose record names the value, and how many values an alert told
 * of. The release before leaves both columns out of its INSERTs: such a total is named by its next request.
 */
export const valuesInAlerts = defineMigration(
  'ValuesInAlerts1764000000051',
  `
  ALTER TABLE value_window ADD COLUMN request_id uuid;
  ALTER TABLE alert ADD COLUMN value_count integer;
`,
  `
  ALTER TABLE alert DROP COLUMN value_count;
  ALTER TABLE value_window DROP COLUMN request_id;
`,
);
