import { defineMigration } from './define-migration';

/** What operators decide about entries that were set aside, and how abandoned holds are found. */
export const operators = defineMigration(
  'Operators1764000000010',
  `
  ALTER TABLE ledger_quarantine ADD COLUMN resolution text;
  CREATE INDEX budget_request_abandoned_idx
    ON budget_request (request_id) WHERE state = 'ABANDONED';
`,
  `
  DROP INDEX budget_request_abandoned_idx;
  ALTER TABLE ledger_quarantine DROP COLUMN resolution;
`,
);
