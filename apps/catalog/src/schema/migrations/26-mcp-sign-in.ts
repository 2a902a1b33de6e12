import { defineMigration } from './define-migration';

/** Tokens of an organisation's identity provider that stand for its API keys at MCP servers. */
export const mcpSignIn = defineMigration(
  'McpSignIn1764000000026',
  `
  CREATE TABLE mcp_sign_in (
    organisation_id uuid PRIMARY KEY REFERENCES organisation (id),
    issuer text NOT NULL,
    audiences jsonb NOT NULL DEFAULT '[]',
    scopes jsonb NOT NULL DEFAULT '[]',
    rules jsonb NOT NULL DEFAULT '[]',
    updated_at timestamptz NOT NULL DEFAULT now()
  );
`,
  `
  DROP TABLE mcp_sign_in;
`,
);
