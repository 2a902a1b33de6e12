import { defineMigration } from './define-migration';

/** Keys of providers can be drained and switched off; the release before takes both for revoked. */
export const upstreamKeys = defineMigration(
  'UpstreamKeys1764000000013',
  `
  ALTER TABLE provider_api_key
    ADD COLUMN status_since timestamptz NOT NULL DEFAULT now(),
    DROP CONSTRAINT provider_api_key_status_check,
    ADD CONSTRAINT provider_api_key_status_check
      CHECK (status IN ('ACTIVE', 'DRAINING', 'DISABLED', 'REVOKED'));
  UPDATE provider_api_key SET status_since = created_at;
`,
  `
  UPDATE provider_api_key SET status = 'REVOKED' WHERE status IN ('DRAINING', 'DISABLED');
  ALTER TABLE provider_api_key
    DROP CONSTRAINT provider_api_key_status_check,
    ADD CONSTRAINT provider_api_key_status_check CHECK (status IN ('ACTIVE', 'REVOKED')),
    DROP COLUMN status_since;
`,
);
