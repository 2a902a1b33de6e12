import { defineMigration } from './define-migration';

/** Where a screening service processes texts. Null: unknown; the release before leaves it out of its INSERTs. */
export const screeningRegions = defineMigration(
  'ScreeningRegions1764000000054',
  `
  ALTER TABLE screening_service ADD COLUMN region text;
`,
  `
  ALTER TABLE screening_service DROP COLUMN region;
`,
);
