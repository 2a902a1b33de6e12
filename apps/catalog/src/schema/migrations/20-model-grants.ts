import { defineMigration } from './define-migration';

/**
 * Standing grants: all models, those of a provider, or those with a name like a pattern. The release
 * before does not know them; a key that has nothing else is refused there, never served too much.
 */
export const modelGrants = defineMigration(
  'ModelGrants1764000000020',
  `
  CREATE TABLE api_key_model_grant (
    api_key_id uuid NOT NULL,
    place integer NOT NULL,
    organisation_id uuid NOT NULL,
    kind text NOT NULL,
    provider_id uuid,
    pattern text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_key_model_grant_pkey PRIMARY KEY (api_key_id, place),
    CONSTRAINT api_key_model_grant_organisation_id_provider_id_fkey
      FOREIGN KEY (organisation_id, provider_id)
      REFERENCES provider (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT api_key_model_grant_organisation_id_api_key_id_fkey
      FOREIGN KEY (organisation_id, api_key_id)
      REFERENCES api_key (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT api_key_model_grant_kind_check CHECK (kind IN ('ALL', 'PROVIDER', 'PATTERN')),
    CONSTRAINT api_key_model_grant_shape_check
      CHECK ((provider_id IS NOT NULL) = (kind = 'PROVIDER')
        AND (pattern IS NOT NULL) = (kind = 'PATTERN'))
  );
  CREATE INDEX api_key_model_grant_provider_id_idx ON api_key_model_grant (provider_id);
`,
  `
  DROP TABLE api_key_model_grant;
`,
);
