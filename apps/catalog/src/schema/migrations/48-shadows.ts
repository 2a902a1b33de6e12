import { defineMigration } from './define-migration';

/** As in migration 37. In the books an experiment takes the place of the API key of its shadow's requests. */
const guardScope = (keys: string): string => `
  CREATE OR REPLACE FUNCTION limit_guard_scope() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    known boolean;
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      IF (NEW.organisation_id, NEW.scope_type, NEW.scope_id)
         IS DISTINCT FROM (OLD.organisation_id, OLD.scope_type, OLD.scope_id) THEN
        RAISE EXCEPTION 'the scope of a limit never changes' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    known := CASE
      WHEN NEW.scope_type = 'ORGANISATION' THEN NEW.scope_id = NEW.organisation_id
      WHEN NEW.scope_type = 'TEAM' THEN EXISTS (
        SELECT FROM team t WHERE t.id = NEW.scope_id AND t.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type = 'USER' THEN EXISTS (
        SELECT FROM user_account u
        WHERE u.id = NEW.scope_id AND u.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type = 'API_KEY' THEN EXISTS (
        SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)${keys}
      WHEN NEW.scope_type = 'MODEL' THEN EXISTS (
        SELECT FROM model m WHERE m.id = NEW.scope_id AND m.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type = 'MCP_SERVER' THEN EXISTS (
        SELECT FROM mcp_server s
        WHERE s.id = NEW.scope_id AND s.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type IN ('END_USER', 'SESSION', 'TAG') THEN NEW.scope_id = NEW.organisation_id
        OR EXISTS (
          SELECT FROM team t WHERE t.id = NEW.scope_id AND t.organisation_id = NEW.organisation_id)
        OR EXISTS (
          SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)
      ELSE false END;
    IF NOT known THEN
      RAISE EXCEPTION 'scope % % is not of organisation %',
        NEW.scope_type, NEW.scope_id, NEW.organisation_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
  END $$;`;

const EXPERIMENTS = `
        OR EXISTS (SELECT FROM experiment e
          WHERE e.id = NEW.scope_id AND e.organisation_id = NEW.organisation_id)`;

/**
 * The shadow of an experiment, and which request a shadow's record repeats. The release before reads and writes no
 * shadow: it leaves the columns out of its INSERTs, and its policies are told of none.
 */
export const shadows = defineMigration(
  'Shadows1764000000048',
  `
  ALTER TABLE experiment ADD COLUMN shadow jsonb;
  ALTER TABLE usage_record ADD COLUMN shadow_of uuid;
  CREATE TABLE experiment_shadow_skip (
    experiment_id uuid NOT NULL,
    code text NOT NULL,
    organisation_id uuid NOT NULL,
    count bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    CONSTRAINT experiment_shadow_skip_pkey PRIMARY KEY (experiment_id, code),
    CONSTRAINT experiment_shadow_skip_experiment_id_fkey
      FOREIGN KEY (experiment_id) REFERENCES experiment (id) ON DELETE CASCADE,
    CONSTRAINT experiment_shadow_skip_count_check CHECK (count > 0)
  );
  ${guardScope(EXPERIMENTS)}
`,
  `
  DROP TABLE experiment_shadow_skip;
  DELETE FROM budget b WHERE EXISTS (SELECT FROM experiment e WHERE e.id = b.scope_id);
  ${guardScope('')}
  ALTER TABLE usage_record DROP COLUMN shadow_of;
  ALTER TABLE experiment DROP COLUMN shadow;
`,
);
