import { defineMigration } from './define-migration';

/** Corrected prices of a period, and how far each has been applied to what was booked in it. */
export const reRating = defineMigration(
  'ReRating1764000000009',
  `
  CREATE TABLE usage_rerate (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    model_id uuid,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    steps jsonb,
    per_request_nano_usd bigint,
    per_unit_nano_usd jsonb,
    dry_run boolean NOT NULL,
    reason text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    after_at timestamptz,
    after_id uuid,
    records bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    held bigint NOT NULL DEFAULT 0,
    otherwise_charged bigint NOT NULL DEFAULT 0,
    difference_nano_usd bigint NOT NULL DEFAULT 0,
    months jsonb NOT NULL DEFAULT '{}',
    failures integer NOT NULL DEFAULT 0,
    error text,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    CONSTRAINT usage_rerate_pkey PRIMARY KEY (id),
    CONSTRAINT usage_rerate_organisation_id_fkey
      FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT usage_rerate_organisation_id_model_id_fkey
      FOREIGN KEY (organisation_id, model_id) REFERENCES model (organisation_id, id),
    CONSTRAINT usage_rerate_span_check CHECK (starts_at < ends_at),
    CONSTRAINT usage_rerate_price_check
      CHECK ((steps IS NULL) = (per_request_nano_usd IS NULL)
        AND (steps IS NULL) = (per_unit_nano_usd IS NULL)
        AND (steps IS NULL OR model_id IS NOT NULL)),
    CONSTRAINT usage_rerate_status_check
      CHECK (status IN ('PENDING', 'RUNNING', 'DONE', 'FAILED'))
  );
  CREATE INDEX usage_rerate_organisation_id_id_idx ON usage_rerate (organisation_id, id);
  CREATE UNIQUE INDEX usage_rerate_open_key
    ON usage_rerate (organisation_id) WHERE status IN ('PENDING', 'RUNNING');
`,
  `
  DROP TABLE usage_rerate;
`,
);
