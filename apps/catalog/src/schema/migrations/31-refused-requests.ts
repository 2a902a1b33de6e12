import { defineMigration } from './define-migration';

/** Refused and failed requests by cause and hour, and what a refused request needed. */
export const refusedRequests = defineMigration(
  'RefusedRequests1764000000031',
  `
  ALTER TABLE api_key_refusal ADD COLUMN need jsonb;
  CREATE TABLE refused_request (
    id uuid NOT NULL,
    hour timestamptz NOT NULL,
    cause text NOT NULL,
    organisation_id uuid,
    api_key_id uuid,
    key_print text NOT NULL,
    code text NOT NULL,
    limit_id text NOT NULL,
    model text NOT NULL,
    provider_id uuid,
    other boolean NOT NULL,
    count bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    last_request_id uuid NOT NULL,
    limit_state jsonb,
    need jsonb,
    CONSTRAINT refused_request_pkey PRIMARY KEY (id),
    CONSTRAINT refused_request_hour_cause_key UNIQUE (hour, cause),
    CONSTRAINT refused_request_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT refused_request_organisation_id_api_key_id_fkey
      FOREIGN KEY (organisation_id, api_key_id)
      REFERENCES api_key (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT refused_request_count_check CHECK (count > 0)
  );
  CREATE INDEX refused_request_organisation_id_hour_idx
    ON refused_request (organisation_id, hour);
  CREATE INDEX refused_request_organisation_id_api_key_id_idx
    ON refused_request (organisation_id, api_key_id);
`,
  `
  DROP TABLE refused_request;
  ALTER TABLE api_key_refusal DROP COLUMN need;
`,
);
