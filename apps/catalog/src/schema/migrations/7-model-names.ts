import { defineMigration } from './define-migration';

/** What lists of models say of each. Nullable, so that the release before goes on writing models. */
export const modelNames = defineMigration(
  'ModelNames1764000000007',
  `
  ALTER TABLE model
    ADD COLUMN display_name text,
    ADD COLUMN max_output_tokens integer,
    ADD CONSTRAINT model_max_output_tokens_check CHECK (max_output_tokens > 0);
`,
  `
  ALTER TABLE model
    DROP CONSTRAINT model_max_output_tokens_check,
    DROP COLUMN max_output_tokens,
    DROP COLUMN display_name;
`,
);
