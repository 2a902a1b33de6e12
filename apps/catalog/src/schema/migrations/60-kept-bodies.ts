import { defineMigration } from './define-migration';

/**
 * Bodies of requests that organisations keep. The content of a row is sealed; what it says beside that is why
 * something is missing, and what was masked. The release before leaves the new columns out of its INSERTs and keeps
 * nothing.
 */
export const keptBodies = defineMigration(
  'KeptBodies1764000000060',
  `
  ALTER TABLE organisation
    ADD COLUMN keep_request_bodies boolean NOT NULL DEFAULT false,
    ADD COLUMN keep_answer_bodies boolean NOT NULL DEFAULT false,
    ADD COLUMN kept_bodies_percent integer NOT NULL DEFAULT 100,
    ADD COLUMN kept_bodies_only_failed boolean NOT NULL DEFAULT false,
    ADD COLUMN kept_bodies_days integer NOT NULL DEFAULT 7,
    ADD COLUMN kept_bodies_for_operators boolean NOT NULL DEFAULT false,
    ADD COLUMN kept_bodies_from timestamptz,
    ADD CONSTRAINT organisation_kept_bodies_percent_check CHECK (kept_bodies_percent BETWEEN 1 AND 100),
    ADD CONSTRAINT organisation_kept_bodies_days_check CHECK (kept_bodies_days BETWEEN 1 AND 90);
  ALTER TABLE api_key ADD COLUMN keep_bodies boolean NOT NULL DEFAULT true;
  CREATE TABLE kept_body (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    at timestamptz NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now(),
    request_kept boolean NOT NULL,
    request_left_out text,
    answer_kept boolean NOT NULL,
    answer_left_out text,
    answer_partial boolean NOT NULL,
    masked jsonb NOT NULL,
    secret_key_id text,
    secret_nonce bytea,
    secret_ciphertext bytea,
    secret_tag bytea,
    CONSTRAINT kept_body_secret_check CHECK (
      (secret_ciphertext IS NOT NULL) = (request_kept OR answer_kept))
  );
  CREATE INDEX kept_body_organisation_id_at_idx ON kept_body (organisation_id, at);
  CREATE TABLE kept_body_day (
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    day date NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (organisation_id, day)
  );
`,
  `
  DROP TABLE kept_body_day;
  DROP TABLE kept_body;
  ALTER TABLE api_key DROP COLUMN keep_bodies;
  ALTER TABLE organisation
    DROP COLUMN keep_request_bodies,
    DROP COLUMN keep_answer_bodies,
    DROP COLUMN kept_bodies_percent,
    DROP COLUMN kept_bodies_only_failed,
    DROP COLUMN kept_bodies_days,
    DROP COLUMN kept_bodies_for_operators,
    DROP COLUMN kept_bodies_from;
`,
);
