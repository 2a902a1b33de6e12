import { defineMigration } from './define-migration';

/**
 * What the gateway needs to serve MCP servers. The release before leaves these columns out of its
 * INSERTs, so each has a default: rules without entries allow everything, and `auth` is derived from
 * the secret while it is null. timeout_ms is the idle timeout from here on.
 *
 * A STDIO server used to have a free command line that nothing ever ran. Now `command` is the name of a
 * command in the runner's own file. Servers that have anything else are disabled with a note; their
 * old command and args stay stored until an administrator names a command.
 */
export const mcpServers = defineMigration(
  'McpServers1764000000024',
  `
  ALTER TABLE mcp_server
    ADD COLUMN auth jsonb,
    ADD COLUMN connect_timeout_ms integer NOT NULL DEFAULT 5000,
    ADD COLUMN call_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN tool_nano_usd jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN charge_failures boolean NOT NULL DEFAULT false,
    ADD COLUMN rules jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN pinned_tools jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN connection_version integer NOT NULL DEFAULT 1,
    ADD COLUMN status_note text,
    ADD CONSTRAINT mcp_server_call_nano_usd_check
      CHECK (call_nano_usd BETWEEN 0 AND 9000000000000000);
  ALTER TABLE api_key_mcp_access ADD COLUMN rules jsonb NOT NULL DEFAULT '{}';

  UPDATE mcp_server SET status = 'DISABLED', status_note =
    'Disabled by an upgrade: command is now the name of a command in the runner''s own file, and there are no arguments. Set command, then activate the server.'
  WHERE transport = 'STDIO' AND status = 'ACTIVE'
    AND (command !~ '^[a-z0-9][a-z0-9-]{0,62}$' OR args <> '[]');
`,
  `
  UPDATE mcp_server SET status = 'ACTIVE' WHERE status = 'DISABLED' AND status_note IS NOT NULL;
  ALTER TABLE api_key_mcp_access DROP COLUMN rules;
  ALTER TABLE mcp_server
    DROP COLUMN auth,
    DROP COLUMN connect_timeout_ms,
    DROP COLUMN call_nano_usd,
    DROP COLUMN tool_nano_usd,
    DROP COLUMN charge_failures,
    DROP COLUMN rules,
    DROP COLUMN pinned_tools,
    DROP COLUMN connection_version,
    DROP COLUMN status_note;
`,
);
