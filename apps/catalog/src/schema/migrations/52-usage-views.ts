import { defineMigration } from './define-migration';

/** Saved views of usage. The release before does not know the table. */
export const usageViews = defineMigration(
  'UsageViews1764000000052',
  `
  CREATE TABLE usage_view (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    parameters jsonb NOT NULL,
    shared boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usage_view_pkey PRIMARY KEY (id),
    CONSTRAINT usage_view_organisation_id_user_id_name_key UNIQUE (organisation_id, user_id, name),
    CONSTRAINT usage_view_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT usage_view_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account (id) ON DELETE CASCADE
  );
  CREATE INDEX usage_view_user_id_idx ON usage_view (user_id);
`,
  `
  DROP TABLE usage_view;
`,
);
