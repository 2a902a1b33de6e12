import { defineMigration } from './define-migration';

/** Services that screening rules ask, and an index of the records in which rules found something. */
export const screeningServices = defineMigration(
  'ScreeningServices1764000000028',
  `
  CREATE TABLE screening_service (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    identifier text NOT NULL,
    name text NOT NULL,
    url text,
    protocol jsonb NOT NULL,
    auth jsonb NOT NULL,
    secret_key_id text,
    secret_nonce bytea,
    secret_ciphertext bytea,
    secret_tag bytea,
    secret_preview text,
    api_key_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, id),
    UNIQUE (organisation_id, identifier)
  );

  CREATE INDEX usage_record_screening_idx
    ON usage_record (organisation_id, authorised_at, id) WHERE screening IS NOT NULL;
`,
  `
  DROP INDEX usage_record_screening_idx;
  DROP TABLE screening_service;
`,
);
