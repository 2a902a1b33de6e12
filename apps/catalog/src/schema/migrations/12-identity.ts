import { defineMigration } from './define-migration';

/** Invitations, forgotten passwords, single sign-on, what a session shows, and their mail. */
export const identity = defineMigration(
  'Identity1764000000012',
  `
  CREATE TABLE mail_outbox (
    id uuid NOT NULL,
    organisation_id uuid,
    kind text NOT NULL,
    recipient text NOT NULL,
    sealed jsonb,
    status text NOT NULL DEFAULT 'PENDING',
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_error text,
    sent_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mail_outbox_pkey PRIMARY KEY (id),
    CONSTRAINT mail_outbox_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT mail_outbox_kind_check CHECK (kind IN ('INVITATION', 'PASSWORD_RESET')),
    CONSTRAINT mail_outbox_status_check CHECK (status IN ('PENDING', 'SENT', 'FAILED'))
  );
  CREATE INDEX mail_outbox_due_idx ON mail_outbox (next_attempt_at) WHERE status = 'PENDING';
  CREATE INDEX mail_outbox_created_at_idx ON mail_outbox (created_at);

  UPDATE organisation_invitation SET status = 'REVOKED' WHERE status = 'PENDING';
  ALTER TABLE organisation_invitation
    DROP COLUMN team_id,
    ADD COLUMN team_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN mail_id uuid,
    ADD CONSTRAINT organisation_invitation_mail_id_fkey
      FOREIGN KEY (mail_id) REFERENCES mail_outbox (id) ON DELETE SET NULL;
  CREATE INDEX organisation_invitation_email_idx ON organisation_invitation (email);
  CREATE INDEX organisation_invitation_mail_id_idx ON organisation_invitation (mail_id);
  CREATE UNIQUE INDEX organisation_invitation_open_key
    ON organisation_invitation (organisation_id, email) WHERE status = 'PENDING';

  CREATE TABLE password_reset (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT password_reset_pkey PRIMARY KEY (id),
    CONSTRAINT password_reset_token_sha256_key UNIQUE (token_sha256),
    CONSTRAINT password_reset_user_id_fkey
      FOREIGN KEY (user_id) REFERENCES user_account (id) ON DELETE CASCADE
  );
  CREATE INDEX password_reset_user_id_idx ON password_reset (user_id);
  CREATE INDEX password_reset_expires_at_idx ON password_reset (expires_at);

  CREATE TABLE user_identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT user_identity_pkey PRIMARY KEY (issuer, subject),
    CONSTRAINT user_identity_issuer_user_id_key UNIQUE (issuer, user_id),
    CONSTRAINT user_identity_user_id_fkey
      FOREIGN KEY (user_id) REFERENCES user_account (id) ON DELETE CASCADE
  );
  CREATE INDEX user_identity_user_id_idx ON user_identity (user_id);

  CREATE TABLE sign_in_throttle (
    key bytea NOT NULL,
    failures integer NOT NULL,
    blocked_until timestamptz NOT NULL,
    forget_at timestamptz NOT NULL,
    CONSTRAINT sign_in_throttle_pkey PRIMARY KEY (key)
  );
  CREATE INDEX sign_in_throttle_forget_at_idx ON sign_in_throttle (forget_at);

  ALTER TABLE refresh_token
    ADD COLUMN session_started_at timestamptz,
    ADD COLUMN method text,
    ADD COLUMN user_agent text,
    ADD COLUMN remote_address text,
    ADD CONSTRAINT refresh_token_method_check CHECK (method IN ('PASSWORD', 'SSO'));
`,
  `
  ALTER TABLE refresh_token
    DROP COLUMN remote_address,
    DROP COLUMN user_agent,
    DROP COLUMN method,
    DROP COLUMN session_started_at;
  DROP TABLE sign_in_throttle;
  DROP TABLE user_identity;
  DROP TABLE password_reset;
  DROP INDEX organisation_invitation_open_key;
  DROP INDEX organisation_invitation_email_idx;
  ALTER TABLE organisation_invitation
    DROP COLUMN mail_id,
    DROP COLUMN team_ids,
    ADD COLUMN team_id uuid,
    ADD CONSTRAINT organisation_invitation_organisation_id_team_id_fkey
      FOREIGN KEY (organisation_id, team_id) REFERENCES team (organisation_id, id);
  DROP TABLE mail_outbox;
`,
);
