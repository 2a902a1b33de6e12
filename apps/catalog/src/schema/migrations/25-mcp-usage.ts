import { defineMigration } from './define-migration';

/** As in migration 4, with the scopes of a release. */
const guardScope = (of: string): string => `
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
    known := CASE NEW.scope_type
      WHEN 'ORGANISATION' THEN NEW.scope_id = NEW.organisation_id
      WHEN 'TEAM' THEN EXISTS (
        SELECT FROM team t WHERE t.id = NEW.scope_id AND t.organisation_id = NEW.organisation_id)
      WHEN 'USER' THEN EXISTS (
        SELECT FROM user_account u
        WHERE u.id = NEW.scope_id AND u.organisation_id = NEW.organisation_id)
      WHEN 'API_KEY' THEN EXISTS (
        SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)
      WHEN 'MODEL' THEN EXISTS (
        SELECT FROM model m WHERE m.id = NEW.scope_id AND m.organisation_id = NEW.organisation_id)${of}
      ELSE false END;
    IF NOT known THEN
      RAISE EXCEPTION 'scope % % is not of organisation %',
        NEW.scope_type, NEW.scope_id, NEW.organisation_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
  END $$;`;

const MCP_SERVER_SCOPE = `
      WHEN 'MCP_SERVER' THEN EXISTS (
        SELECT FROM mcp_server s
        WHERE s.id = NEW.scope_id AND s.organisation_id = NEW.organisation_id)`;

const scopeTypes = (types: string): string =>
  ['budget', 'quota', 'rate_limit']
    .map(
      (table) => `
  ALTER TABLE ${table}
    DROP CONSTRAINT ${table}_scope_type_check,
    ADD CONSTRAINT ${table}_scope_type_check CHECK (scope_type IN (${types}));`,
    )
    .join('');

const SCOPES_OF_4 = `'ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL'`;

/** The tables that sum or bill usage by what was called. */
const TABLES = ['usage_record', 'usage_adjustment', 'usage', 'usage_period', 'invoice_line'];

/**
 * Requests to MCP servers in the books: the server beside model and provider, limits of a server, and a
 * row with what only such requests have. No release has written or read that table, so it is created
 * anew. The release before leaves the new columns out of its INSERTs, and books no such requests.
 *
 * The planner's statistics of partitions are dropped because they lack the new column; the service
 * creates them again when it starts.
 */
export const mcpUsage = defineMigration(
  'McpUsage1764000000025',
  `
  ${TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN mcp_server_id uuid;`).join('\n  ')}
  CREATE INDEX usage_record_mcp_server_id_authorised_at_id_idx
    ON usage_record (mcp_server_id, authorised_at, id) WHERE mcp_server_id IS NOT NULL;
  DO $$
  DECLARE
    name text;
  BEGIN
    FOR name IN SELECT s.stxname FROM pg_statistic_ext s JOIN pg_inherits i ON i.inhrelid = s.stxrelid
      WHERE i.inhparent = 'usage_record'::regclass
    LOOP
      EXECUTE format('DROP STATISTICS %I', name);
    END LOOP;
  END $$;

  DROP TABLE mcp_usage_record;
  CREATE TABLE mcp_usage_record (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    mcp_server_id uuid NOT NULL,
    mcp_server text NOT NULL,
    method text NOT NULL,
    name text,
    mode text NOT NULL,
    outcome text,
    http_status integer NOT NULL,
    error_code text,
    json_rpc_error_code integer,
    is_error boolean NOT NULL,
    protocol_version text,
    result_type text,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    request_bytes bigint NOT NULL,
    response_bytes bigint NOT NULL,
    cost_nano_usd bigint NOT NULL,
    client_request_id text,
    trace_id text,
    session_sha256 bytea,
    called_at timestamptz NOT NULL,
    CONSTRAINT mcp_usage_record_pkey PRIMARY KEY (id),
    CONSTRAINT mcp_usage_record_mode_check CHECK (mode IN ('SETTLED', 'ABANDONED')),
    CONSTRAINT mcp_usage_record_outcome_check
      CHECK (outcome IN ('COMPLETED', 'PARTIAL', 'FAILED', 'BUDGET_STOPPED', 'CLIENT_CLOSED'))
  ) PARTITION BY RANGE (id);
  CREATE TABLE mcp_usage_record_default PARTITION OF mcp_usage_record DEFAULT;
  CREATE INDEX mcp_usage_record_organisation_id_called_at_id_idx
    ON mcp_usage_record (organisation_id, called_at, id);
  CREATE INDEX mcp_usage_record_team_id_called_at_id_idx
    ON mcp_usage_record (team_id, called_at, id) WHERE team_id IS NOT NULL;
  CREATE INDEX mcp_usage_record_user_id_called_at_id_idx
    ON mcp_usage_record (user_id, called_at, id) WHERE user_id IS NOT NULL;
  CREATE INDEX mcp_usage_record_api_key_id_called_at_id_idx
    ON mcp_usage_record (api_key_id, called_at, id);
  CREATE INDEX mcp_usage_record_mcp_server_id_called_at_id_idx
    ON mcp_usage_record (mcp_server_id, called_at, id);
  CREATE INDEX mcp_usage_record_method_idx
    ON mcp_usage_record (organisation_id, method, called_at, id);
  -- A whole URI may be longer than an index entry.
  CREATE INDEX mcp_usage_record_name_idx
    ON mcp_usage_record (organisation_id, "left"(name, 100), called_at, id) WHERE name IS NOT NULL;
  CREATE INDEX mcp_usage_record_outcome_idx
    ON mcp_usage_record (organisation_id, outcome, called_at, id) WHERE outcome <> 'COMPLETED';
  CREATE INDEX mcp_usage_record_is_error_idx
    ON mcp_usage_record (organisation_id, called_at, id) WHERE is_error;

  ${scopeTypes(`${SCOPES_OF_4}, 'MCP_SERVER'`)}
  ${guardScope(MCP_SERVER_SCOPE)}
`,
  `
  DELETE FROM budget WHERE scope_type = 'MCP_SERVER';
  DELETE FROM quota WHERE scope_type = 'MCP_SERVER';
  DELETE FROM rate_limit WHERE scope_type = 'MCP_SERVER';
  ${guardScope('')}
  ${scopeTypes(SCOPES_OF_4)}

  DROP TABLE mcp_usage_record;
  CREATE TABLE mcp_usage_record (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    mcp_server_id uuid NOT NULL,
    method text NOT NULL,
    tool text,
    outcome text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    latency_ms integer NOT NULL,
    request_bytes bigint NOT NULL DEFAULT 0,
    response_bytes bigint NOT NULL DEFAULT 0,
    called_at timestamptz NOT NULL,
    CONSTRAINT mcp_usage_record_pkey PRIMARY KEY (id),
    CONSTRAINT mcp_usage_record_outcome_check
      CHECK (outcome IN ('COMPLETED', 'PARTIAL', 'FAILED', 'BUDGET_STOPPED', 'CLIENT_CLOSED'))
  );
  CREATE INDEX mcp_usage_record_organisation_id_called_at_id_idx
    ON mcp_usage_record (organisation_id, called_at, id);

  DROP INDEX usage_record_mcp_server_id_authorised_at_id_idx;
  ${TABLES.map((table) => `ALTER TABLE ${table} DROP COLUMN mcp_server_id;`).join('\n  ')}
`,
);
