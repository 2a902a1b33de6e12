import { defineMigration } from './define-migration';

/** Alert rules, destinations, alerts, and their deliveries. */
export const alerts = defineMigration(
  'Alerts1764000000034',
  `
  CREATE TABLE alert_destination (
    id uuid NOT NULL,
    organisation_id uuid,
    name text NOT NULL,
    kind text NOT NULL,
    email text,
    url text,
    secret_key_id text,
    secret_nonce bytea,
    secret_ciphertext bytea,
    secret_tag bytea,
    secret_preview text,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT alert_destination_pkey PRIMARY KEY (id),
    CONSTRAINT alert_destination_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT alert_destination_kind_check CHECK (kind IN ('EMAIL', 'WEBHOOK', 'SLACK')),
    CONSTRAINT alert_destination_status_check CHECK (status IN ('ACTIVE', 'DISABLED'))
  );
  CREATE INDEX alert_destination_organisation_id_idx ON alert_destination (organisation_id);

  CREATE TABLE alert_rule (
    id uuid NOT NULL,
    organisation_id uuid,
    name text NOT NULL,
    kind text NOT NULL,
    condition jsonb NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT alert_rule_pkey PRIMARY KEY (id),
    CONSTRAINT alert_rule_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT alert_rule_kind_check CHECK (kind IN ('BUDGET_USED', 'BUDGET_FORECAST', 'QUOTA_USED', 'REQUESTS_REFUSED', 'PROVIDER_KEY_REFUSED', 'PROVIDER_ERRORS', 'UNPRICED_MODEL', 'LEDGER_QUARANTINE', 'LEDGER_LAG')),
    CONSTRAINT alert_rule_status_check CHECK (status IN ('ACTIVE', 'DISABLED'))
  );
  CREATE INDEX alert_rule_organisation_id_idx ON alert_rule (organisation_id);
  CREATE INDEX alert_rule_active_idx ON alert_rule (kind) WHERE status = 'ACTIVE';

  CREATE TABLE alert_rule_destination (
    rule_id uuid NOT NULL,
    destination_id uuid NOT NULL,
    CONSTRAINT alert_rule_destination_pkey PRIMARY KEY (rule_id, destination_id),
    CONSTRAINT alert_rule_destination_rule_id_fkey
      FOREIGN KEY (rule_id) REFERENCES alert_rule (id) ON DELETE CASCADE,
    CONSTRAINT alert_rule_destination_destination_id_fkey
      FOREIGN KEY (destination_id) REFERENCES alert_destination (id) ON DELETE CASCADE
  );
  CREATE INDEX alert_rule_destination_destination_id_idx
    ON alert_rule_destination (destination_id);

  CREATE TABLE alert (
    id uuid NOT NULL,
    organisation_id uuid,
    rule_id uuid NOT NULL,
    rule_name text NOT NULL,
    kind text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    subject_name text NOT NULL,
    window_starts_at timestamptz NOT NULL,
    window_ends_at timestamptz NOT NULL,
    threshold integer NOT NULL,
    limit_amount bigint NOT NULL,
    value bigint NOT NULL,
    money boolean NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz,
    seen_by uuid,
    CONSTRAINT alert_pkey PRIMARY KEY (id),
    CONSTRAINT alert_once_key
      UNIQUE (rule_id, subject_id, window_starts_at, threshold, limit_amount),
    CONSTRAINT alert_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT alert_kind_check CHECK (kind IN ('BUDGET_USED', 'BUDGET_FORECAST', 'QUOTA_USED', 'REQUESTS_REFUSED', 'PROVIDER_KEY_REFUSED', 'PROVIDER_ERRORS', 'UNPRICED_MODEL', 'LEDGER_QUARANTINE', 'LEDGER_LAG')),
    CONSTRAINT alert_subject_type_check CHECK (subject_type IN ('BUDGET', 'QUOTA', 'ORGANISATION', 'API_KEY', 'PROVIDER', 'MODEL', 'LEDGER'))
  );
  CREATE INDEX alert_organisation_id_id_idx ON alert (organisation_id, id);
  CREATE INDEX alert_unseen_idx ON alert (organisation_id, id) WHERE seen_at IS NULL;
  CREATE INDEX alert_window_ends_at_idx ON alert (window_ends_at);

  CREATE TABLE alert_delivery (
    id uuid NOT NULL,
    alert_id uuid,
    destination_id uuid,
    organisation_id uuid,
    destination_name text NOT NULL,
    destination_kind text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    leased_until timestamptz,
    expires_at timestamptz NOT NULL,
    last_error text,
    delivered_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT alert_delivery_pkey PRIMARY KEY (id),
    CONSTRAINT alert_delivery_alert_id_destination_id_key UNIQUE (alert_id, destination_id),
    CONSTRAINT alert_delivery_alert_id_fkey
      FOREIGN KEY (alert_id) REFERENCES alert (id) ON DELETE CASCADE,
    CONSTRAINT alert_delivery_destination_id_fkey
      FOREIGN KEY (destination_id) REFERENCES alert_destination (id) ON DELETE SET NULL,
    CONSTRAINT alert_delivery_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT alert_delivery_destination_kind_check
      CHECK (destination_kind IN ('EMAIL', 'WEBHOOK', 'SLACK')),
    CONSTRAINT alert_delivery_status_check
      CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED', 'SUPPRESSED'))
  );
  CREATE INDEX alert_delivery_due_idx ON alert_delivery (next_attempt_at)
    WHERE status = 'PENDING';
  CREATE INDEX alert_delivery_leased_idx ON alert_delivery (destination_id)
    WHERE leased_until IS NOT NULL;
  CREATE INDEX alert_delivery_destination_id_created_at_idx
    ON alert_delivery (destination_id, created_at);

  CREATE TABLE alert_evaluation (
    id smallint NOT NULL,
    started_at timestamptz NOT NULL,
    CONSTRAINT alert_evaluation_pkey PRIMARY KEY (id),
    CONSTRAINT alert_evaluation_id_check CHECK (id = 1)
  );
`,
  `
  DROP TABLE alert_evaluation;
  DROP TABLE alert_delivery;
  DROP TABLE alert;
  DROP TABLE alert_rule_destination;
  DROP TABLE alert_rule;
  DROP TABLE alert_destination;
`,
);
