import { defineMigration } from './define-migration';

/**
 * Whether a provider declares that it has the Responses API. The release before leaves the column out of
 * its INSERTs, so it has a default.
 */
export const nativeResponses = defineMigration(
  'NativeResponses1764000000023',
  `
  ALTER TABLE provider ADD COLUMN native_responses boolean NOT NULL DEFAULT false;
`,
  `
  ALTER TABLE provider DROP COLUMN native_responses;
`,
);
