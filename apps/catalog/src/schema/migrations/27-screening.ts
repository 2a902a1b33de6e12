import { defineMigration } from './define-migration';

/** Screening policies with their versions, and what their rules found in a request. */
export const screening = defineMigration(
  'Screening1764000000027',
  `
  CREATE TABLE screening_policy (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    identifier text NOT NULL,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 1
      CONSTRAINT screening_policy_version_check CHECK (version > 0),
    attached_to jsonb NOT NULL,
    rules jsonb NOT NULL,
    status text NOT NULL DEFAULT 'ACTIVE'
      CONSTRAINT screening_policy_status_check CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, id),
    UNIQUE (organisation_id, identifier)
  );

  CREATE TABLE screening_policy_version (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    policy_id uuid NOT NULL,
    version integer NOT NULL,
    rules jsonb NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (policy_id, version),
    FOREIGN KEY (organisation_id, policy_id)
      REFERENCES screening_policy (organisation_id, id) ON DELETE CASCADE
  );

  ALTER TABLE usage_record ADD COLUMN screening text;
`,
  `
  ALTER TABLE usage_record DROP COLUMN screening;
  DROP TABLE screening_policy_version;
  DROP TABLE screening_policy;
`,
);
