import { defineMigration } from './define-migration';

/** Tags of requests, and an index of the records that have some. */
export const usageTags = defineMigration(
  'UsageTags1764000000029',
  `
  ALTER TABLE usage_record ADD COLUMN tags text;
  CREATE INDEX usage_record_tags_idx
    ON usage_record (organisation_id, authorised_at, id) WHERE tags IS NOT NULL;
`,
  `
  DROP INDEX usage_record_tags_idx;
  ALTER TABLE usage_record DROP COLUMN tags;
`,
);
