import { defineMigration } from './define-migration';

/** Organisations, the people in them, and their sign-ins. */
export const tenants = defineMigration(
  'Tenants1764000000001',
  `
  CREATE TABLE organisation (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    time_zone text NOT NULL DEFAULT 'UTC',
    open_compat_routes boolean NOT NULL DEFAULT false,
    route_compat_requests boolean NOT NULL DEFAULT false,
    routing_enabled boolean NOT NULL DEFAULT false,
    retention_days integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT organisation_pkey PRIMARY KEY (id),
    CONSTRAINT organisation_slug_key UNIQUE (slug),
    CONSTRAINT organisation_retention_days_check CHECK (retention_days > 0),
    CONSTRAINT organisation_status_check CHECK (status IN ('ACTIVE', 'SUSPENDED', 'ARCHIVED')),
    CONSTRAINT organisation_slug_check CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
  );

  CREATE TABLE user_account (
    id uuid NOT NULL,
    organisation_id uuid,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    password_hash text,
    last_login_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT user_account_pkey PRIMARY KEY (id),
    CONSTRAINT user_account_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT user_account_email_key UNIQUE (email),
    CONSTRAINT user_account_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT user_account_organisation_check CHECK (role = 'SUPER_ADMIN' OR organisation_id IS NOT NULL),
    CONSTRAINT user_account_status_check CHECK (status IN ('ACTIVE', 'DISABLED')),
    CONSTRAINT user_account_role_check CHECK (role IN ('SUPER_ADMIN', 'ORG_ADMIN', 'MANAGER', 'USER')),
    CONSTRAINT user_account_email_check CHECK (email = lower(email))
  );

  CREATE TABLE team (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT team_pkey PRIMARY KEY (id),
    CONSTRAINT team_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT team_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT team_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT team_status_check CHECK (status IN ('ACTIVE', 'ARCHIVED'))
  );

  CREATE TABLE team_member (
    team_id uuid NOT NULL,
    user_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    role text NOT NULL DEFAULT 'MEMBER',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT team_member_pkey PRIMARY KEY (team_id, user_id),
    CONSTRAINT team_member_organisation_id_user_id_fkey
      FOREIGN KEY (organisation_id, user_id)
      REFERENCES user_account (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT team_member_organisation_id_team_id_fkey
      FOREIGN KEY (organisation_id, team_id) REFERENCES team (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT team_member_role_check CHECK (role IN ('MEMBER', 'MANAGER'))
  );
  CREATE INDEX team_member_user_id_idx ON team_member (user_id);

  CREATE TABLE organisation_invitation (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    team_id uuid,
    token_sha256 bytea NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    invited_by uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    accepted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT organisation_invitation_pkey PRIMARY KEY (id),
    CONSTRAINT organisation_invitation_token_sha256_key UNIQUE (token_sha256),
    CONSTRAINT organisation_invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES user_account (id),
    CONSTRAINT organisation_invitation_organisation_id_team_id_fkey
      FOREIGN KEY (organisation_id, team_id) REFERENCES team (organisation_id, id),
    CONSTRAINT organisation_invitation_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT organisation_invitation_status_check CHECK (status IN ('PENDING', 'ACCEPTED', 'REVOKED')),
    CONSTRAINT organisation_invitation_role_check CHECK (role IN ('ORG_ADMIN', 'MANAGER', 'USER')),
    CONSTRAINT organisation_invitation_email_check CHECK (email = lower(email))
  );
  CREATE INDEX organisation_invitation_organisation_id_created_at_idx
    ON organisation_invitation (organisation_id, created_at);

  CREATE TABLE refresh_token (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    family_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refresh_token_pkey PRIMARY KEY (id),
    CONSTRAINT refresh_token_token_sha256_key UNIQUE (token_sha256),
    CONSTRAINT refresh_token_user_id_fkey
      FOREIGN KEY (user_id) REFERENCES user_account (id) ON DELETE CASCADE
  );
  CREATE INDEX refresh_token_expires_at_idx ON refresh_token (expires_at);
  CREATE INDEX refresh_token_family_id_idx ON refresh_token (family_id);
  CREATE INDEX refresh_token_user_id_idx ON refresh_token (user_id);

  CREATE TABLE idempotency_key (
    user_id uuid NOT NULL,
    key text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    request_sha256 bytea NOT NULL,
    status integer,
    response jsonb,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_key_pkey PRIMARY KEY (user_id, key),
    CONSTRAINT idempotency_key_user_id_fkey
      FOREIGN KEY (user_id) REFERENCES user_account (id) ON DELETE CASCADE
  );
  CREATE INDEX idempotency_key_expires_at_idx ON idempotency_key (expires_at);
`,
  `
  DROP TABLE idempotency_key;
  DROP TABLE refresh_token;
  DROP TABLE organisation_invitation;
  DROP TABLE team_member;
  DROP TABLE team;
  DROP TABLE user_account;
  DROP TABLE organisation;
`,
);
