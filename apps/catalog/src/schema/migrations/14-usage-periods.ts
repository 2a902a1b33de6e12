import { DETAILED, PERIOD_COUNTS, rebuildPeriods } from '../../ledger/rollups/period-sql';
import { AMOUNTS_OF_14, SERVED_OF_14 } from './amounts';
import { defineMigration } from './define-migration';

const bigints = [...AMOUNTS_OF_14, 'estimate_shortfall_nano_usd'];

/**
 * Usage by hour, day and month with latency histograms; what retention has removed; invoices by month;
 * and indexes for lists that are filtered. Everything is added, so the release before goes on working.
 */
export const usagePeriods = defineMigration(
  'UsagePeriods1764000000014',
  `
  CREATE TABLE usage_period (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    period text NOT NULL,
    starts timestamp NOT NULL,
    owners boolean NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid,
    model_id uuid,
    provider_id uuid,
    operation text NOT NULL,
    status text NOT NULL,
    ${AMOUNTS_OF_14.map((name) => `${name} bigint NOT NULL DEFAULT 0,`).join('\n    ')}
    latency_ms bigint NOT NULL DEFAULT 0,
    latency_count bigint NOT NULL DEFAULT 0,
    first_token_ms bigint NOT NULL DEFAULT 0,
    first_token_count bigint NOT NULL DEFAULT 0,
    ${PERIOD_COUNTS.map((name) => `${name} integer NOT NULL DEFAULT 0,`).join('\n    ')}
    CONSTRAINT usage_period_pkey PRIMARY KEY (id),
    CONSTRAINT usage_period_period_check CHECK (period IN ('HOUR', 'DAY', 'MONTH'))
  ) WITH (fillfactor = 85);
  CREATE INDEX usage_period_organisation_idx
    ON usage_period (organisation_id, period, owners, starts);
  CREATE INDEX usage_period_team_idx ON usage_period (team_id, period, starts) WHERE owners;
  CREATE INDEX usage_period_user_idx ON usage_period (user_id, period, starts) WHERE owners;
  CREATE INDEX usage_period_api_key_idx ON usage_period (api_key_id, period, starts) WHERE owners;
  CREATE INDEX usage_period_platform_idx ON usage_period (period, starts) WHERE NOT owners;
  ${rebuildPeriods('true', { grains: DETAILED, zone: 'NULL', amounts: AMOUNTS_OF_14, served: SERVED_OF_14 })};

  CREATE TABLE usage_removed (
    organisation_id uuid NOT NULL,
    records_from timestamptz NOT NULL,
    records bigint NOT NULL DEFAULT 0,
    abandoned bigint NOT NULL DEFAULT 0,
    adjustments bigint NOT NULL DEFAULT 0,
    ${bigints.map((name) => `${name} bigint NOT NULL DEFAULT 0,`).join('\n    ')}
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usage_removed_pkey PRIMARY KEY (organisation_id)
  );

  CREATE INDEX usage_record_provider_id_authorised_at_id_idx
    ON usage_record (provider_id, authorised_at, id);
  CREATE INDEX usage_record_client_request_id_idx
    ON usage_record (organisation_id, client_request_id, authorised_at, id)
    WHERE client_request_id IS NOT NULL;
  CREATE INDEX usage_record_error_code_idx
    ON usage_record (organisation_id, error_code, authorised_at, id) WHERE error_code IS NOT NULL;
  CREATE INDEX usage_record_http_status_idx
    ON usage_record (organisation_id, http_status, authorised_at, id) WHERE http_status <> 200;
  CREATE INDEX usage_record_outcome_idx
    ON usage_record (organisation_id, outcome, authorised_at, id) WHERE outcome <> 'COMPLETED';
  CREATE INDEX usage_record_abandoned_idx
    ON usage_record (organisation_id, authorised_at, id) WHERE mode = 'ABANDONED';

  CREATE INDEX audit_event_organisation_id_id_idx ON audit_event (organisation_id, id);
  CREATE INDEX audit_event_organisation_id_action_id_idx
    ON audit_event (organisation_id, action, id);
  CREATE INDEX audit_event_organisation_id_actor_id_id_idx
    ON audit_event (organisation_id, actor_id, id);
  CREATE INDEX audit_event_organisation_id_target_id_id_idx
    ON audit_event (organisation_id, target_id, id);

  ALTER TABLE invoice DROP CONSTRAINT invoice_status_check;
  UPDATE invoice SET status = 'ISSUED' WHERE status = 'PAID';
  ALTER TABLE invoice
    ADD CONSTRAINT invoice_status_check CHECK (status IN ('DRAFT', 'ISSUED', 'VOID')),
    ALTER COLUMN number DROP NOT NULL,
    ADD COLUMN month date,
    ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC',
    ADD COLUMN voided_at timestamptz,
    ADD COLUMN void_reason text,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
  UPDATE invoice SET month = date_trunc('month', starts_at AT TIME ZONE 'UTC')::date;
  ALTER TABLE invoice ALTER COLUMN month SET NOT NULL;
  CREATE UNIQUE INDEX invoice_open_key ON invoice (organisation_id, month) WHERE status <> 'VOID';

  ALTER TABLE invoice_line
    ADD COLUMN month date,
    ADD COLUMN kind text NOT NULL DEFAULT 'USAGE',
    ADD COLUMN team_id uuid,
    ADD COLUMN api_key_id uuid,
    ADD CONSTRAINT invoice_line_kind_check CHECK (kind IN ('USAGE', 'ADJUSTMENT'));
  UPDATE invoice_line SET month = i.month FROM invoice i WHERE i.id = invoice_id;
  ALTER TABLE invoice_line ALTER COLUMN month SET NOT NULL;

  CREATE TABLE invoice_sequence (
    organisation_id uuid NOT NULL,
    last_number integer NOT NULL,
    CONSTRAINT invoice_sequence_pkey PRIMARY KEY (organisation_id),
    CONSTRAINT invoice_sequence_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id)
  );
`,
  `
  DROP TABLE invoice_sequence;
  ALTER TABLE invoice_line
    DROP COLUMN month, DROP COLUMN kind, DROP COLUMN team_id, DROP COLUMN api_key_id;
  DROP INDEX invoice_open_key;
  UPDATE invoice SET number = id::text WHERE number IS NULL;
  ALTER TABLE invoice
    DROP CONSTRAINT invoice_status_check,
    ADD CONSTRAINT invoice_status_check CHECK (status IN ('DRAFT', 'ISSUED', 'PAID', 'VOID')),
    ALTER COLUMN number SET NOT NULL,
    DROP COLUMN month,
    DROP COLUMN time_zone,
    DROP COLUMN voided_at,
    DROP COLUMN void_reason,
    DROP COLUMN updated_at;
  DROP INDEX audit_event_organisation_id_target_id_id_idx;
  DROP INDEX audit_event_organisation_id_actor_id_id_idx;
  DROP INDEX audit_event_organisation_id_action_id_idx;
  DROP INDEX audit_event_organisation_id_id_idx;
  DROP INDEX usage_record_abandoned_idx;
  DROP INDEX usage_record_outcome_idx;
  DROP INDEX usage_record_http_status_idx;
  DROP INDEX usage_record_error_code_idx;
  DROP INDEX usage_record_client_request_id_idx;
  DROP INDEX usage_record_provider_id_authorised_at_id_idx;
  DROP TABLE usage_removed;
  DROP TABLE usage_period;
`,
);
