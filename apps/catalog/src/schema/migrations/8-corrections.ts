import { defineMigration } from './define-migration';

/**
 * What an adjustment says of itself beside its amounts. Nullable, so that the release before goes on
 * writing adjustments.
 */
export const corrections = defineMigration(
  'Corrections1764000000008',
  `
  ALTER TABLE usage_adjustment
    ADD COLUMN price_id uuid,
    ADD COLUMN units jsonb;
  CREATE INDEX usage_adjustment_organisation_id_id_idx ON usage_adjustment (organisation_id, id);
`,
  `
  DROP INDEX usage_adjustment_organisation_id_id_idx;
  ALTER TABLE usage_adjustment
    DROP COLUMN units,
    DROP COLUMN price_id;
`,
);
