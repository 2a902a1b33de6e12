import { defineMigration } from './define-migration';

/**
 * Aliases of models with dated targets, and announced ends of models and aliases. A record keeps the name that was
 * asked for, where it is not the model's own; no row of before is in its index. The release before leaves these
 * columns out of its INSERTs, and its policies know neither aliases nor ends: an alias is an unknown model there.
 */
export const modelAliases = defineMigration(
  'ModelAliases1764000000038',
  `
  CREATE TABLE model_alias (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    display_name text,
    targets jsonb NOT NULL,
    retirement jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT model_alias_pkey PRIMARY KEY (id),
    CONSTRAINT model_alias_organisation_id_name_key UNIQUE (organisation_id, name),
    CONSTRAINT model_alias_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
  );
  ALTER TABLE model ADD COLUMN retirement jsonb;
  ALTER TABLE usage_record ADD COLUMN requested_model text;
  CREATE INDEX usage_record_requested_model_idx
    ON usage_record (organisation_id, requested_model, authorised_at, id) WHERE requested_model IS NOT NULL;
`,
  `
  DROP INDEX usage_record_requested_model_idx;
  ALTER TABLE usage_record DROP COLUMN requested_model;
  ALTER TABLE model DROP COLUMN retirement;
  DROP TABLE model_alias;
`,
);
