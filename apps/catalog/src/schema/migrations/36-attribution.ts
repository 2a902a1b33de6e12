import { defineMigration } from './define-migration';

/**
 * Whom requests are for: end user, session and agent of a record, the tags that an organisation knows, and the keys
 * whose requests are believed. Columns of `usage_record` are null or have a default without rewriting a row. The new
 * indexes are empty, but building them reads the table twice, and booking waits meanwhile. The release before leaves the columns out of its INSERTs.
 */
export const attribution = defineMigration(
  'Attribution1764000000036',
  `
  ALTER TABLE usage_record
    ADD COLUMN end_user text,
    ADD COLUMN session text,
    ADD COLUMN agent_id text,
    ADD COLUMN parent_agent_id text,
    ADD COLUMN agent_class text,
    ADD COLUMN agent_type text;
  CREATE INDEX usage_record_end_user_idx
    ON usage_record (organisation_id, end_user, authorised_at, id) WHERE end_user IS NOT NULL;
  CREATE INDEX usage_record_session_idx
    ON usage_record (organisation_id, session, authorised_at, id) WHERE session IS NOT NULL;
  ALTER TABLE organisation
    ADD COLUMN tag_keys text[] NOT NULL DEFAULT '{}',
    ADD COLUMN refuse_unknown_tags boolean NOT NULL DEFAULT false;
  ALTER TABLE api_key
    ADD COLUMN trusted_attribution text,
    ADD CONSTRAINT api_key_trusted_attribution_check CHECK (trusted_attribution IN ('NONE', 'HEADERS'));
`,
  `
  ALTER TABLE api_key DROP COLUMN trusted_attribution;
  ALTER TABLE organisation DROP COLUMN tag_keys, DROP COLUMN refuse_unknown_tags;
  DROP INDEX usage_record_session_idx;
  DROP INDEX usage_record_end_user_idx;
  ALTER TABLE usage_record
    DROP COLUMN end_user,
    DROP COLUMN session,
    DROP COLUMN agent_id,
    DROP COLUMN parent_agent_id,
    DROP COLUMN agent_class,
    DROP COLUMN agent_type;
`,
);
