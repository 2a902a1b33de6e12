import { defineMigration } from './define-migration';

/**
 * Regions of providers and MCP servers, where requests may be processed, and where they were. The release
 * before leaves these columns out of its INSERTs: its records have no regions, which is not a region.
 */
export const regions = defineMigration(
  'Regions1764000000035',
  `
  ALTER TABLE provider ADD COLUMN region text;
  ALTER TABLE provider ADD COLUMN region_from_version integer NOT NULL DEFAULT 1;
  ALTER TABLE mcp_server ADD COLUMN region text;
  ALTER TABLE organisation ADD COLUMN allowed_regions text[] NOT NULL DEFAULT '{}';
  ALTER TABLE team ADD COLUMN allowed_regions text[] NOT NULL DEFAULT '{}';
  ALTER TABLE api_key ADD COLUMN allowed_regions text[] NOT NULL DEFAULT '{}';
  ALTER TABLE model ADD COLUMN allowed_regions text[] NOT NULL DEFAULT '{}';
  ALTER TABLE usage_record ADD COLUMN regions text;
`,
  `
  ALTER TABLE usage_record DROP COLUMN regions;
  ALTER TABLE model DROP COLUMN allowed_regions;
  ALTER TABLE api_key DROP COLUMN allowed_regions;
  ALTER TABLE team DROP COLUMN allowed_regions;
  ALTER TABLE organisation DROP COLUMN allowed_regions;
  ALTER TABLE mcp_server DROP COLUMN region;
  ALTER TABLE provider DROP COLUMN region_from_version;
  ALTER TABLE provider DROP COLUMN region;
`,
);
