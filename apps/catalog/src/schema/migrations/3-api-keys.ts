import { defineMigration } from './define-migration';

/** Keys of the data plane and what they may use. */
export const apiKeys = defineMigration(
  'ApiKeys1764000000003',
  `
  CREATE TABLE api_key (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    kind text NOT NULL DEFAULT 'NORMAL',
    team_id uuid,
    user_id uuid,
    routing_policy_id uuid,
    key_sha256 bytea NOT NULL,
    preview text NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    expires_at timestamptz,
    revoked_at timestamptz,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_key_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT api_key_key_sha256_key UNIQUE (key_sha256),
    CONSTRAINT api_key_organisation_id_routing_policy_id_fkey
      FOREIGN KEY (organisation_id, routing_policy_id)
      REFERENCES routing_policy (organisation_id, id),
    CONSTRAINT api_key_organisation_id_user_id_fkey
      FOREIGN KEY (organisation_id, user_id) REFERENCES user_account (organisation_id, id),
    CONSTRAINT api_key_organisation_id_team_id_fkey
      FOREIGN KEY (organisation_id, team_id) REFERENCES team (organisation_id, id),
    CONSTRAINT api_key_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT api_key_owner_check
      CHECK (CASE type
        WHEN 'ORGANISATION' THEN team_id IS NULL AND user_id IS NULL
        WHEN 'TEAM' THEN team_id IS NOT NULL AND user_id IS NULL
        ELSE user_id IS NOT NULL END),
    CONSTRAINT api_key_status_check CHECK (status IN ('ACTIVE', 'REVOKED')),
    CONSTRAINT api_key_kind_check CHECK (kind IN ('NORMAL', 'PLAYGROUND')),
    CONSTRAINT api_key_type_check CHECK (type IN ('ORGANISATION', 'TEAM', 'USER')),
    CONSTRAINT api_key_key_sha256_check CHECK (octet_length(key_sha256) = 32)
  );
  CREATE INDEX api_key_organisation_id_created_at_id_idx ON api_key (organisation_id, created_at, id);
  CREATE INDEX api_key_team_id_idx ON api_key (team_id);
  CREATE INDEX api_key_user_id_idx ON api_key (user_id);

  CREATE TABLE api_key_model_access (
    api_key_id uuid NOT NULL,
    model_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_key_model_access_pkey PRIMARY KEY (api_key_id, model_id),
    CONSTRAINT api_key_model_access_organisation_id_model_id_fkey
      FOREIGN KEY (organisation_id, model_id)
      REFERENCES model (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT api_key_model_access_organisation_id_api_key_id_fkey
      FOREIGN KEY (organisation_id, api_key_id)
      REFERENCES api_key (organisation_id, id) ON DELETE CASCADE
  );
  CREATE INDEX api_key_model_access_model_id_idx ON api_key_model_access (model_id);

  CREATE TABLE api_key_mcp_access (
    api_key_id uuid NOT NULL,
    mcp_server_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_key_mcp_access_pkey PRIMARY KEY (api_key_id, mcp_server_id),
    CONSTRAINT api_key_mcp_access_organisation_id_mcp_server_id_fkey
      FOREIGN KEY (organisation_id, mcp_server_id)
      REFERENCES mcp_server (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT api_key_mcp_access_organisation_id_api_key_id_fkey
      FOREIGN KEY (organisation_id, api_key_id)
      REFERENCES api_key (organisation_id, id) ON DELETE CASCADE
  );
  CREATE INDEX api_key_mcp_access_mcp_server_id_idx ON api_key_mcp_access (mcp_server_id);
`,
  `
  DROP TABLE api_key_mcp_access;
  DROP TABLE api_key_model_access;
  DROP TABLE api_key;
`,
);
