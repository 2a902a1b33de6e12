import { defineMigration } from './define-migration';

/**
 * Passthrough: which endpoints of a provider may be called as they are, and which keys may call them. Columns have a
 * default without rewriting a row; the release before leaves them out of its INSERTs and lets no such request pass.
 */
export const passthrough = defineMigration(
  'Passthrough1764000000041',
  `
  ALTER TABLE provider ADD COLUMN passthrough_rules jsonb NOT NULL DEFAULT '[]';
  ALTER TABLE api_key ADD COLUMN passthrough_provider_ids uuid[] NOT NULL DEFAULT '{}';
`,
  `
  ALTER TABLE api_key DROP COLUMN passthrough_provider_ids;
  ALTER TABLE provider DROP COLUMN passthrough_rules;
`,
);
