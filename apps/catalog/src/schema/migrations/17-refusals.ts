import { defineMigration } from './define-migration';

/** What keys are refused for, summed up. The release before does not know of it. */
export const refusals = defineMigration(
  'Refusals1764000000017',
  `
  CREATE TABLE api_key_refusal (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    code text NOT NULL,
    about text NOT NULL,
    reason text,
    count bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    last_request_id uuid NOT NULL,
    last_model text,
    message text NOT NULL,
    limit_state jsonb,
    CONSTRAINT api_key_refusal_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_refusal_api_key_id_code_about_key UNIQUE (api_key_id, code, about),
    CONSTRAINT api_key_refusal_organisation_id_api_key_id_fkey
      FOREIGN KEY (organisation_id, api_key_id)
      REFERENCES api_key (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT api_key_refusal_count_check CHECK (count > 0)
  );
  CREATE INDEX api_key_refusal_api_key_id_last_at_id_idx
    ON api_key_refusal (api_key_id, last_at, id);
  CREATE INDEX api_key_refusal_organisation_id_last_at_idx
    ON api_key_refusal (organisation_id, last_at);
`,
  `
  DROP TABLE api_key_refusal;
`,
);
