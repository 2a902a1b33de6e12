import { defineMigration } from './define-migration';

/** What is served: providers with their secrets and published connections, models, prices, tool servers. */
export const upstreams = defineMigration(
  'Upstreams1764000000002',
  `
  CREATE TABLE provider (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    upstream_format text NOT NULL,
    base_url text NOT NULL,
    api_version text,
    headers jsonb NOT NULL DEFAULT '{}',
    timeout_ms integer NOT NULL DEFAULT 600000,
    connect_timeout_ms integer NOT NULL DEFAULT 5000,
    first_byte_timeout_ms integer NOT NULL DEFAULT 120000,
    idle_timeout_ms integer NOT NULL DEFAULT 60000,
    status text NOT NULL DEFAULT 'ACTIVE',
    connection_version integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT provider_pkey PRIMARY KEY (id),
    CONSTRAINT provider_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT provider_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT provider_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT provider_timeouts_check
      CHECK (timeout_ms > 0 AND connect_timeout_ms > 0 AND first_byte_timeout_ms > 0 AND idle_timeout_ms > 0),
    CONSTRAINT provider_status_check CHECK (status IN ('ACTIVE', 'DISABLED', 'ARCHIVED')),
    CONSTRAINT provider_upstream_format_check
      CHECK (upstream_format IN ('openai', 'anthropic', 'gemini', 'vllm')),
    CONSTRAINT provider_type_check
      CHECK (type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM'))
  );

  CREATE TABLE provider_api_key (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    provider_id uuid NOT NULL,
    name text NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    tag bytea NOT NULL,
    preview text NOT NULL,
    weight integer NOT NULL DEFAULT 1,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT provider_api_key_pkey PRIMARY KEY (id),
    CONSTRAINT provider_api_key_organisation_id_provider_id_fkey
      FOREIGN KEY (organisation_id, provider_id)
      REFERENCES provider (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT provider_api_key_weight_check CHECK (weight > 0),
    CONSTRAINT provider_api_key_status_check CHECK (status IN ('ACTIVE', 'REVOKED'))
  );
  CREATE INDEX provider_api_key_provider_id_idx ON provider_api_key (provider_id);

  CREATE TABLE provider_connection (
    provider_id uuid NOT NULL,
    version integer NOT NULL,
    organisation_id uuid NOT NULL,
    provider_name text NOT NULL,
    provider_type text NOT NULL,
    upstream_format text NOT NULL,
    base_url text NOT NULL,
    api_version text,
    headers jsonb NOT NULL,
    timeout_ms integer NOT NULL,
    connect_timeout_ms integer NOT NULL,
    first_byte_timeout_ms integer NOT NULL,
    idle_timeout_ms integer NOT NULL,
    secrets jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT provider_connection_pkey PRIMARY KEY (provider_id, version),
    CONSTRAINT provider_connection_organisation_id_provider_id_fkey
      FOREIGN KEY (organisation_id, provider_id)
      REFERENCES provider (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT provider_connection_upstream_format_check
      CHECK (upstream_format IN ('openai', 'anthropic', 'gemini', 'vllm')),
    CONSTRAINT provider_connection_provider_type_check
      CHECK (provider_type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM'))
  );

  CREATE TABLE model (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    provider_id uuid NOT NULL,
    upstream_model text NOT NULL,
    type text NOT NULL,
    context_tokens integer NOT NULL,
    default_max_output_tokens integer,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT model_pkey PRIMARY KEY (id),
    CONSTRAINT model_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT model_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT model_organisation_id_provider_id_fkey
      FOREIGN KEY (organisation_id, provider_id) REFERENCES provider (organisation_id, id),
    CONSTRAINT model_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT model_tokens_check CHECK (context_tokens > 0 AND default_max_output_tokens > 0),
    CONSTRAINT model_status_check CHECK (status IN ('ACTIVE', 'DISABLED', 'ARCHIVED')),
    CONSTRAINT model_type_check
      CHECK (type IN ('chat', 'reasoning', 'image', 'embeddings', 'audio', 'moderation', 'transcription', 'tts'))
  );
  CREATE INDEX model_provider_id_idx ON model (provider_id);

  CREATE TABLE price (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    model_id uuid NOT NULL,
    effective_from timestamptz NOT NULL,
    steps jsonb NOT NULL,
    per_request_nano_usd bigint NOT NULL DEFAULT 0,
    per_unit_nano_usd jsonb NOT NULL DEFAULT '{}',
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT price_pkey PRIMARY KEY (id),
    CONSTRAINT price_model_id_effective_from_key UNIQUE (model_id, effective_from),
    CONSTRAINT price_organisation_id_model_id_fkey
      FOREIGN KEY (organisation_id, model_id)
      REFERENCES model (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT price_steps_check CHECK (jsonb_typeof(steps) = 'array' AND jsonb_array_length(steps) > 0),
    CONSTRAINT price_per_request_check CHECK (per_request_nano_usd BETWEEN 0 AND 9000000000000000)
  );

  CREATE TABLE mcp_server (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    identifier text NOT NULL,
    name text NOT NULL,
    transport text NOT NULL,
    url text,
    command text,
    args jsonb NOT NULL DEFAULT '[]',
    headers jsonb NOT NULL DEFAULT '{}',
    secret_key_id text,
    secret_nonce bytea,
    secret_ciphertext bytea,
    secret_tag bytea,
    secret_preview text,
    timeout_ms integer NOT NULL DEFAULT 60000,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mcp_server_pkey PRIMARY KEY (id),
    CONSTRAINT mcp_server_organisation_id_identifier_key UNIQUE (organisation_id, identifier),
    CONSTRAINT mcp_server_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT mcp_server_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT mcp_server_target_check
      CHECK (CASE transport WHEN 'STDIO' THEN command IS NOT NULL ELSE url IS NOT NULL END),
    CONSTRAINT mcp_server_status_check CHECK (status IN ('ACTIVE', 'DISABLED', 'ARCHIVED')),
    CONSTRAINT mcp_server_transport_check CHECK (transport IN ('STREAMABLE_HTTP', 'SSE', 'STDIO'))
  );

  CREATE TABLE routing_policy (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    strategy text NOT NULL,
    candidates jsonb NOT NULL,
    failover_triggers jsonb NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT routing_policy_pkey PRIMARY KEY (id),
    CONSTRAINT routing_policy_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT routing_policy_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT routing_policy_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT routing_policy_status_check CHECK (status IN ('ACTIVE', 'DISABLED', 'ARCHIVED')),
    CONSTRAINT routing_policy_strategy_check CHECK (strategy IN ('FAILOVER', 'PRIORITY', 'ROUND_ROBIN'))
  );
`,
  `
  DROP TABLE routing_policy;
  DROP TABLE mcp_server;
  DROP TABLE price;
  DROP TABLE model;
  DROP TABLE provider_connection;
  DROP TABLE provider_api_key;
  DROP TABLE provider;
`,
);
