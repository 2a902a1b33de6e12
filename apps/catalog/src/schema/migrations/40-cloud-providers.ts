import { defineMigration } from './define-migration';

/**
 * Provider types of clouds: Google Vertex AI (PROVIDER_G) and Amazon Bedrock (PROVIDER_H). The release before reads
 * no row of them, because an edge that does not know a type refuses its requests.
 */
export const cloudProviders = defineMigration(
  'CloudProviders1764000000040',
  `
  ALTER TABLE provider
    DROP CONSTRAINT provider_type_check,
    ADD CONSTRAINT provider_type_check
      CHECK (type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM', 'PROVIDER_G', 'PROVIDER_H'));
  ALTER TABLE provider_connection
    DROP CONSTRAINT provider_connection_provider_type_check,
    ADD CONSTRAINT provider_connection_provider_type_check
      CHECK (provider_type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM', 'PROVIDER_G', 'PROVIDER_H'));
`,
  `
  ALTER TABLE provider_connection
    DROP CONSTRAINT provider_connection_provider_type_check,
    ADD CONSTRAINT provider_connection_provider_type_check
      CHECK (provider_type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM'));
  ALTER TABLE provider
    DROP CONSTRAINT provider_type_check,
    ADD CONSTRAINT provider_type_check
      CHECK (type IN ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_F', 'PROVIDER_D', 'CUSTOM'));
`,
);
