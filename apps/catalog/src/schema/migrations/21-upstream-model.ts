import { defineMigration } from './define-migration';

/**
 * Whether answers tell the provider's own name for a model. The release before leaves the column out of
 * its INSERTs, so it has a default.
 */
export const upstreamModel = defineMigration(
  'UpstreamModel1764000000021',
  `
  ALTER TABLE organisation ADD COLUMN tell_upstream_model boolean NOT NULL DEFAULT false;
`,
  `
  ALTER TABLE organisation DROP COLUMN tell_upstream_model;
`,
);
