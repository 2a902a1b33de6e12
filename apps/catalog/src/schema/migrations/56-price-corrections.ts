import { defineMigration } from './define-migration';

/** Price corrections that organisations ask for. The release before does not know the table. */
export const priceCorrections = defineMigration(
  'PriceCorrections1764000000056',
  `
  CREATE TABLE price_correction (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    model_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    steps jsonb NOT NULL,
    per_request_nano_usd bigint NOT NULL,
    per_unit_nano_usd jsonb NOT NULL,
    reason text NOT NULL,
    requests bigint NOT NULL,
    charged_nano_usd bigint NOT NULL,
    status text NOT NULL DEFAULT 'OPEN',
    requested_by uuid NOT NULL,
    answer text,
    decided_by uuid,
    decided_at timestamptz,
    rerate_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT price_correction_pkey PRIMARY KEY (id),
    CONSTRAINT price_correction_span_check CHECK (starts_at < ends_at),
    CONSTRAINT price_correction_status_check CHECK (status IN ('OPEN', 'APPROVED', 'DECLINED')),
    CONSTRAINT price_correction_decided_check CHECK ((status = 'OPEN') = (decided_at IS NULL)),
    CONSTRAINT price_correction_rerate_check CHECK ((status = 'APPROVED') = (rerate_id IS NOT NULL)),
    CONSTRAINT price_correction_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT price_correction_organisation_id_model_id_fkey FOREIGN KEY (organisation_id, model_id)
      REFERENCES model (organisation_id, id),
    CONSTRAINT price_correction_rerate_id_fkey FOREIGN KEY (rerate_id) REFERENCES usage_rerate (id)
  );
  CREATE INDEX price_correction_organisation_id_id_idx ON price_correction (organisation_id, id);
  CREATE INDEX price_correction_status_id_idx ON price_correction (status, id);
`,
  `
  DROP TABLE price_correction;
`,
);
