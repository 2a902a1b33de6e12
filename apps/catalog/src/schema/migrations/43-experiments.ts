import { defineMigration } from './define-migration';

/**
 * Experiments, and the arm that a request was assigned to. No row of before is in the index of records. The release
 * before leaves these columns out of its INSERTs, and its policies assign no arm.
 */
export const experiments = defineMigration(
  'Experiments1764000000043',
  `
  CREATE TABLE experiment (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    model text NOT NULL,
    arms jsonb NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE',
    starts_at timestamptz,
    ends_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT experiment_pkey PRIMARY KEY (id),
    CONSTRAINT experiment_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT experiment_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT experiment_status_check CHECK (status IN ('ACTIVE', 'PAUSED'))
  );
  CREATE UNIQUE INDEX experiment_active_model_key
    ON experiment (organisation_id, model) WHERE status = 'ACTIVE';
  ALTER TABLE usage_record
    ADD COLUMN experiment_id uuid,
    ADD COLUMN experiment_arm text;
  CREATE INDEX usage_record_experiment_idx
    ON usage_record (organisation_id, experiment_id, authorised_at, id) WHERE experiment_id IS NOT NULL;
`,
  `
  DROP INDEX usage_record_experiment_idx;
  ALTER TABLE usage_record
    DROP COLUMN experiment_arm,
    DROP COLUMN experiment_id;
  DROP TABLE experiment;
`,
);
