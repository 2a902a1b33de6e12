import { defineMigration } from './define-migration';

/**
 * Tokens of images, which some models bill at a price of their own. Columns have a default without rewriting a row. The
 * release before leaves them out of its INSERTs, and counts such tokens as plain input and output. The way down loses how many
 * there were; sums of tokens and costs stay.
 */
export const imageTokens = defineMigration(
  'ImageTokens1764000000063',
  `
  ALTER TABLE usage_record
    ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_adjustment
    ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage
    ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_period
    ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_removed
    ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
`,
  `
  ALTER TABLE usage_removed
    DROP COLUMN image_input_tokens,
    DROP COLUMN image_output_tokens;
  ALTER TABLE usage_period
    DROP COLUMN image_input_tokens,
    DROP COLUMN image_output_tokens;
  ALTER TABLE usage
    DROP COLUMN image_input_tokens,
    DROP COLUMN image_output_tokens;
  ALTER TABLE usage_adjustment
    DROP COLUMN image_input_tokens,
    DROP COLUMN image_output_tokens;
  ALTER TABLE usage_record
    DROP COLUMN image_input_tokens,
    DROP COLUMN image_output_tokens;
`,
);
