import { defineMigration } from './define-migration';

/**
 * Passthrough: which endpoints of a provider may be called as they are, which keys may call them, and the bytes of their
 * records. Columns are null or have a default without rewriting a row; the release before leaves them out of its INSERTs and lets no such request pass.
 */
export const passthrough = defineMigration(
  'Passthrough1764000000041',
  `
  ALTER TABLE provider ADD COLUMN passthrough_rules jsonb NOT NULL DEFAULT '[]';
  ALTER TABLE api_key ADD COLUMN passthrough_provider_ids uuid[] NOT NULL DEFAULT '{}';
  ALTER TABLE usage_record
    ADD COLUMN request_bytes integer,
    ADD COLUMN response_bytes integer;
`,
  `
  ALTER TABLE usage_record
    DROP COLUMN request_bytes,
    DROP COLUMN response_bytes;
  ALTER TABLE api_key DROP COLUMN passthrough_provider_ids;
  ALTER TABLE provider DROP COLUMN passthrough_rules;
`,
);
