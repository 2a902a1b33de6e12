import { defineMigration } from './define-migration';

/** The books: shards, records by month, adjustments, rollups. */
export const ledger = defineMigration(
  'Ledger1764000000005',
  `
  CREATE TABLE ledger_shard (
    id smallint NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    last_seq bigint NOT NULL DEFAULT 0,
    rev bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ledger_shard_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_shard_id_check CHECK (id BETWEEN 0 AND 255)
  );
  INSERT INTO ledger_shard (id) SELECT generate_series(0, 255);

  CREATE TABLE ledger_quarantine (
    id uuid NOT NULL,
    shard smallint NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    entry jsonb,
    raw bytea,
    reason text NOT NULL,
    status text NOT NULL DEFAULT 'OPEN',
    resolved_at timestamptz,
    resolved_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ledger_quarantine_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_quarantine_shard_fkey FOREIGN KEY (shard) REFERENCES ledger_shard (id),
    CONSTRAINT ledger_quarantine_status_check CHECK (status IN ('OPEN', 'BOOKED', 'DISCARDED'))
  );
  CREATE INDEX ledger_quarantine_shard_seq_idx ON ledger_quarantine (shard, seq);
  CREATE INDEX ledger_quarantine_status_created_at_idx ON ledger_quarantine (status, created_at);

  CREATE TABLE usage_record (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    model_id uuid,
    provider_id uuid,
    model_name text NOT NULL,
    operation text NOT NULL,
    route text NOT NULL,
    client_request_id text,
    mode text NOT NULL,
    outcome text,
    authorised_at timestamptz NOT NULL,
    closed_at timestamptz NOT NULL,
    stream boolean NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    stop_reason text,
    usage_quality text NOT NULL,
    units jsonb NOT NULL,
    held_nano_usd bigint NOT NULL,
    estimate_shortfall_nano_usd bigint NOT NULL,
    input_tokens_estimate bigint NOT NULL,
    price_id uuid,
    latency_ms integer NOT NULL,
    first_token_ms integer,
    upstream_request_id text,
    response_id text,
    attempts jsonb NOT NULL,
    shard smallint NOT NULL,
    seq bigint NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    input_tokens bigint NOT NULL DEFAULT 0,
    cache_read_tokens bigint NOT NULL DEFAULT 0,
    cache_write_5m_tokens bigint NOT NULL DEFAULT 0,
    cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
    audio_input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    audio_output_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    cost_nano_usd bigint NOT NULL,
    requests integer NOT NULL,
    errors integer NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    upstream_ms bigint NOT NULL,
    CONSTRAINT usage_record_pkey PRIMARY KEY (id),
    CONSTRAINT usage_record_usage_quality_check CHECK (usage_quality IN ('EXACT', 'ESTIMATED', 'UNKNOWN')),
    CONSTRAINT usage_record_outcome_check
      CHECK (outcome IN ('COMPLETED', 'PARTIAL', 'FAILED', 'BUDGET_STOPPED', 'CLIENT_CLOSED')),
    CONSTRAINT usage_record_mode_check CHECK (mode IN ('SETTLED', 'ABANDONED'))
  ) PARTITION BY RANGE (id);
  -- Months are cut ahead of time by the running service; this one takes what no month fits.
  CREATE TABLE usage_record_default PARTITION OF usage_record DEFAULT;
  CREATE INDEX usage_record_api_key_id_authorised_at_id_idx
    ON usage_record (api_key_id, authorised_at, id);
  CREATE INDEX usage_record_model_id_authorised_at_id_idx
    ON usage_record (model_id, authorised_at, id);
  CREATE INDEX usage_record_organisation_id_authorised_at_id_idx
    ON usage_record (organisation_id, authorised_at, id);
  CREATE INDEX usage_record_team_id_authorised_at_id_idx
    ON usage_record (team_id, authorised_at, id);
  CREATE INDEX usage_record_user_id_authorised_at_id_idx
    ON usage_record (user_id, authorised_at, id);

  CREATE TABLE usage_adjustment (
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    part smallint NOT NULL DEFAULT 0,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    model_id uuid,
    provider_id uuid,
    authorised_at timestamptz NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    outcome text,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    input_tokens bigint NOT NULL DEFAULT 0,
    cache_read_tokens bigint NOT NULL DEFAULT 0,
    cache_write_5m_tokens bigint NOT NULL DEFAULT 0,
    cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
    audio_input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    audio_output_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    cost_nano_usd bigint NOT NULL,
    requests integer NOT NULL,
    errors integer NOT NULL,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    upstream_ms bigint NOT NULL,
    CONSTRAINT usage_adjustment_pkey PRIMARY KEY (id),
    CONSTRAINT usage_adjustment_outcome_check
      CHECK (outcome IN ('COMPLETED', 'PARTIAL', 'FAILED', 'BUDGET_STOPPED', 'CLIENT_CLOSED')),
    CONSTRAINT usage_adjustment_kind_check
      CHECK (kind IN ('LATE_SETTLED', 'LATE_CANCELLED', 'CORRECTION', 'RERATE'))
  );
  CREATE INDEX usage_adjustment_organisation_id_authorised_at_idx
    ON usage_adjustment (organisation_id, authorised_at);
  CREATE INDEX usage_adjustment_request_id_idx ON usage_adjustment (request_id);
  CREATE UNIQUE INDEX usage_adjustment_late_key
    ON usage_adjustment (request_id, part) WHERE kind IN ('LATE_SETTLED', 'LATE_CANCELLED');

  CREATE TABLE usage (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    model_id uuid,
    provider_id uuid,
    hour timestamptz NOT NULL,
    requests bigint NOT NULL DEFAULT 0,
    completed bigint NOT NULL DEFAULT 0,
    partial bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    budget_stopped bigint NOT NULL DEFAULT 0,
    client_closed bigint NOT NULL DEFAULT 0,
    abandoned bigint NOT NULL DEFAULT 0,
    errors bigint NOT NULL DEFAULT 0,
    tokens_in bigint NOT NULL DEFAULT 0,
    tokens_out bigint NOT NULL DEFAULT 0,
    cost_nano_usd bigint NOT NULL DEFAULT 0,
    upstream_ms bigint NOT NULL DEFAULT 0,
    latency_ms bigint NOT NULL DEFAULT 0,
    latency_count bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    input_tokens bigint NOT NULL DEFAULT 0,
    cache_read_tokens bigint NOT NULL DEFAULT 0,
    cache_write_5m_tokens bigint NOT NULL DEFAULT 0,
    cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
    audio_input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    audio_output_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    CONSTRAINT usage_pkey PRIMARY KEY (id)
  );
  CREATE INDEX usage_api_key_id_hour_idx ON usage (api_key_id, hour);
  CREATE INDEX usage_organisation_id_hour_idx ON usage (organisation_id, hour);

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
`,
  `
  DROP TABLE mcp_usage_record;
  DROP TABLE usage;
  DROP TABLE usage_adjustment;
  DROP TABLE usage_record;
  DROP TABLE ledger_quarantine;
  DROP TABLE ledger_shard;
`,
);
