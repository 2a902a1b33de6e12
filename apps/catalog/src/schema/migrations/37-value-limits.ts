import { defineMigration } from './define-migration';

const TABLES = ['budget', 'quota', 'rate_limit'];
const SCOPES = `'ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL', 'MCP_SERVER'`;
const VALUE_SCOPES = `'END_USER', 'SESSION', 'TAG'`;
const PERIODS = `'DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY'`;

/** As in migration 25, with the scopes of a release. */
const guardScope = (values: string): string => `
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
        SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type = 'MODEL' THEN EXISTS (
        SELECT FROM model m WHERE m.id = NEW.scope_id AND m.organisation_id = NEW.organisation_id)
      WHEN NEW.scope_type = 'MCP_SERVER' THEN EXISTS (
        SELECT FROM mcp_server s
        WHERE s.id = NEW.scope_id AND s.organisation_id = NEW.organisation_id)${values}
      ELSE false END;
    IF NOT known THEN
      RAISE EXCEPTION 'scope % % is not of organisation %',
        NEW.scope_type, NEW.scope_id, NEW.organisation_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
  END $$;`;

/** The scope of a limit on each value names whose requests are counted. */
const VALUES = `
      WHEN NEW.scope_type IN (${VALUE_SCOPES}) THEN NEW.scope_id = NEW.organisation_id
        OR EXISTS (
          SELECT FROM team t WHERE t.id = NEW.scope_id AND t.organisation_id = NEW.organisation_id)
        OR EXISTS (
          SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)`;

const scopeTypes = (types: string): string =>
  TABLES.map(
    (table) => `
  ALTER TABLE ${table}
    DROP CONSTRAINT ${table}_scope_type_check,
    ADD CONSTRAINT ${table}_scope_type_check CHECK (scope_type IN (${types}));`,
  ).join('');

const periods = (types: string): string =>
  ['budget', 'quota']
    .map(
      (table) => `
  ALTER TABLE ${table}
    DROP CONSTRAINT ${table}_period_check,
    ADD CONSTRAINT ${table}_period_check CHECK (period IN (${types}));`,
    )
    .join('');

/**
 * Limits that each end user, session or value of a tag has for itself, and what each value has spent. The release
 * before finds no limit with such a scope, neither for keys nor for windows, and leaves the columns out of its INSERTs.
 */
export const valueLimits = defineMigration(
  'ValueLimits1764000000037',
  `
  ${TABLES.map(
    (table) => `
  ALTER TABLE ${table}
    ADD COLUMN tag_key text,
    ADD COLUMN require_value boolean NOT NULL DEFAULT false,
    ADD COLUMN value_key uuid,
    ADD CONSTRAINT ${table}_tag_key_check CHECK ((scope_type = 'TAG') = (tag_key IS NOT NULL)),
    ADD CONSTRAINT ${table}_value_key_check
      CHECK ((scope_type IN (${VALUE_SCOPES})) = (value_key IS NOT NULL));`,
  ).join('')}
  ${scopeTypes(`${SCOPES}, ${VALUE_SCOPES}`)}
  ${guardScope(VALUES)}
  ${periods(`${PERIODS}, 'LIFETIME'`)}
  ALTER TABLE budget ADD CONSTRAINT budget_lifetime_check
    CHECK (period <> 'LIFETIME' OR value_key IS NOT NULL);
  ALTER TABLE quota ADD CONSTRAINT quota_lifetime_check
    CHECK (period IS NULL OR period <> 'LIFETIME' OR value_key IS NOT NULL);

  CREATE TABLE value_window (
    limit_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    value_hash text NOT NULL,
    organisation_id uuid NOT NULL,
    amount bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT value_window_pkey PRIMARY KEY (limit_id, starts_at, ends_at, value_hash),
    CONSTRAINT value_window_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT value_window_span_check CHECK (starts_at < ends_at)
  );
  CREATE INDEX value_window_ends_at_idx ON value_window (ends_at);
  CREATE INDEX value_window_updated_at_idx ON value_window (updated_at) WHERE ends_at > '9000-01-01Z';
  CREATE INDEX value_window_amount_idx ON value_window (limit_id, starts_at, ends_at, amount);

  ALTER TABLE usage_record ADD COLUMN limit_values jsonb;
`,
  `
  ALTER TABLE usage_record DROP COLUMN limit_values;
  DROP TABLE value_window;
  ${TABLES.map((table) => `DELETE FROM ${table} WHERE value_key IS NOT NULL;`).join('\n  ')}
  ALTER TABLE quota DROP CONSTRAINT quota_lifetime_check;
  ALTER TABLE budget DROP CONSTRAINT budget_lifetime_check;
  ${periods(PERIODS)}
  ${guardScope('')}
  ${scopeTypes(SCOPES)}
  ${TABLES.map(
    (table) =>
      `ALTER TABLE ${table} DROP COLUMN tag_key, DROP COLUMN require_value, DROP COLUMN value_key;`,
  ).join('\n  ')}
`,
);
