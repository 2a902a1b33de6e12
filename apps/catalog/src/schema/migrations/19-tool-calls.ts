import { defineMigration } from './define-migration';

/**
 * How many calls of a tool that the provider runs are held for a request that does not bound them. The
 * release before leaves the column out of its INSERTs, so it has a default.
 */
export const toolCalls = defineMigration(
  'ToolCalls1764000000019',
  `
  ALTER TABLE model
    ADD COLUMN max_tool_calls integer NOT NULL DEFAULT 10,
    ADD CONSTRAINT model_max_tool_calls_check CHECK (max_tool_calls > 0);
`,
  `
  ALTER TABLE model DROP COLUMN max_tool_calls;
`,
);
