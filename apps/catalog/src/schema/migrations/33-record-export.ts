import { defineMigration } from './define-migration';

/**
 * Destinations of exported records, and the transaction that wrote each record: the order in which
 * records are exported. Earlier rows have no transaction: a default in ADD COLUMN would rewrite the
 * table and give all of them this one. The release before leaves the column out of its INSERTs, so
 * its rows get the default.
 */
export const recordExport = defineMigration(
  'RecordExport1764000000033',
  `
  -- Replaced when a restore has set the counter of transactions back.
  CREATE FUNCTION xid_offset() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint';
  CREATE FUNCTION write_xid() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT pg_current_xact_id()::text::bigint + xid_offset()';
  CREATE FUNCTION settled_xid() RETURNS bigint LANGUAGE sql STABLE AS
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xid_offset()';

  ALTER TABLE usage_record ADD COLUMN written_xid bigint;
  ALTER TABLE usage_record ALTER COLUMN written_xid SET DEFAULT write_xid();
  CREATE INDEX usage_record_written_xid_id_idx ON usage_record (written_xid, id)
    WHERE written_xid IS NOT NULL;
  ALTER TABLE usage_adjustment ADD COLUMN written_xid bigint;
  ALTER TABLE usage_adjustment ALTER COLUMN written_xid SET DEFAULT write_xid();
  CREATE INDEX usage_adjustment_written_xid_id_idx ON usage_adjustment (written_xid, id)
    WHERE written_xid IS NOT NULL;
  ALTER TABLE audit_event ADD COLUMN written_xid bigint;
  ALTER TABLE audit_event ALTER COLUMN written_xid SET DEFAULT write_xid();
  CREATE INDEX audit_event_written_xid_id_idx ON audit_event (written_xid, id)
    WHERE written_xid IS NOT NULL;

  CREATE TABLE export_destination (
    id uuid NOT NULL,
    organisation_id uuid,
    name text NOT NULL,
    target jsonb NOT NULL,
    records text[] NOT NULL,
    start_from timestamptz,
    max_rows integer NOT NULL,
    interval_seconds integer NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    secret_key_id text,
    secret_nonce bytea,
    secret_ciphertext bytea,
    secret_tag bytea,
    secret_preview text,
    next_attempt_at timestamptz NOT NULL,
    lease uuid,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    last_error text,
    last_error_at timestamptz,
    last_delivered_at timestamptz,
    delivered_batches bigint NOT NULL DEFAULT 0,
    delivered_rows bigint NOT NULL DEFAULT 0,
    waiting_rows integer NOT NULL DEFAULT 0,
    waiting_since timestamptz,
    measured_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT export_destination_pkey PRIMARY KEY (id),
    CONSTRAINT export_destination_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT export_destination_status_check CHECK (status IN ('ACTIVE', 'PAUSED', 'DISABLED'))
  );
  CREATE INDEX export_destination_organisation_id_id_idx
    ON export_destination (organisation_id, id);
  CREATE INDEX export_destination_due_idx
    ON export_destination (next_attempt_at) WHERE status = 'ACTIVE';

  CREATE TABLE export_cursor (
    destination_id uuid NOT NULL,
    record text NOT NULL,
    start_xid bigint NOT NULL,
    xid bigint NOT NULL,
    row_id uuid NOT NULL,
    history_from timestamptz,
    history_row_id uuid,
    due_at timestamptz NOT NULL,
    removed_rows bigint NOT NULL DEFAULT 0,
    CONSTRAINT export_cursor_pkey PRIMARY KEY (destination_id, record),
    CONSTRAINT export_cursor_destination_id_fkey
      FOREIGN KEY (destination_id) REFERENCES export_destination (id) ON DELETE CASCADE,
    CONSTRAINT export_cursor_record_check
      CHECK (record IN ('USAGE', 'MCP_USAGE', 'ADJUSTMENT', 'AUDIT'))
  );

  CREATE TABLE export_batch (
    id uuid NOT NULL,
    destination_id uuid NOT NULL,
    number bigint NOT NULL,
    record text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    row_count integer NOT NULL,
    oldest_at timestamptz NOT NULL,
    compressed boolean NOT NULL,
    byte_count integer NOT NULL,
    payload bytea,
    attempts integer NOT NULL DEFAULT 0,
    last_status integer,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    CONSTRAINT export_batch_pkey PRIMARY KEY (id),
    CONSTRAINT export_batch_destination_id_number_key UNIQUE (destination_id, number),
    CONSTRAINT export_batch_destination_id_fkey
      FOREIGN KEY (destination_id) REFERENCES export_destination (id) ON DELETE CASCADE,
    CONSTRAINT export_batch_record_check
      CHECK (record IN ('USAGE', 'MCP_USAGE', 'ADJUSTMENT', 'AUDIT')),
    CONSTRAINT export_batch_status_check CHECK (status IN ('PENDING', 'DELIVERED'))
  );
  CREATE UNIQUE INDEX export_batch_pending_key
    ON export_batch (destination_id) WHERE status = 'PENDING';
`,
  `
  DROP TABLE export_batch;
  DROP TABLE export_cursor;
  DROP TABLE export_destination;
  ALTER TABLE audit_event DROP COLUMN written_xid;
  ALTER TABLE usage_adjustment DROP COLUMN written_xid;
  ALTER TABLE usage_record DROP COLUMN written_xid;
  DROP FUNCTION settled_xid();
  DROP FUNCTION write_xid();
  DROP FUNCTION xid_offset();
`,
);
