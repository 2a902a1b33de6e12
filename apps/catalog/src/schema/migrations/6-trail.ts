import { defineMigration } from './define-migration';

/** Changes told to the data plane, changes told to people, and bills. */
export const trail = defineMigration(
  'Trail1764000000006',
  `
  CREATE TABLE outbox_event (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    organisation_id uuid,
    kind text NOT NULL,
    key_sha256 bytea,
    limit_ids text[] NOT NULL DEFAULT '{}',
    shard smallint,
    rev bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT outbox_event_pkey PRIMARY KEY (seq)
  );

  CREATE TABLE audit_event (
    id uuid NOT NULL,
    organisation_id uuid,
    actor_kind text NOT NULL,
    actor_id uuid,
    actor_email text,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id text,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text,
    remote_address text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_event_pkey PRIMARY KEY (id),
    CONSTRAINT audit_event_actor_kind_check CHECK (actor_kind IN ('USER', 'SYSTEM'))
  );
  CREATE INDEX audit_event_organisation_id_created_at_id_idx
    ON audit_event (organisation_id, created_at, id);

  CREATE TABLE invoice (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    number text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    status text NOT NULL DEFAULT 'DRAFT',
    total_nano_usd bigint NOT NULL,
    issued_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT invoice_pkey PRIMARY KEY (id),
    CONSTRAINT invoice_organisation_id_number_key UNIQUE (organisation_id, number),
    CONSTRAINT invoice_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT invoice_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT invoice_span_check CHECK (starts_at < ends_at),
    CONSTRAINT invoice_status_check CHECK (status IN ('DRAFT', 'ISSUED', 'PAID', 'VOID'))
  );

  CREATE TABLE invoice_line (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    model_id uuid,
    description text NOT NULL,
    requests bigint NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    amount_nano_usd bigint NOT NULL,
    CONSTRAINT invoice_line_pkey PRIMARY KEY (id),
    CONSTRAINT invoice_line_organisation_id_invoice_id_fkey
      FOREIGN KEY (organisation_id, invoice_id)
      REFERENCES invoice (organisation_id, id) ON DELETE CASCADE
  );
  CREATE INDEX invoice_line_invoice_id_idx ON invoice_line (invoice_id);

  CREATE FUNCTION audit_event_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'audit events are only ever added';
  END $$;
  CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse();
`,
  `
  DROP TABLE invoice_line;
  DROP TABLE invoice;
  DROP TABLE audit_event;
  DROP TABLE outbox_event;
  DROP FUNCTION audit_event_refuse();
`,
);
