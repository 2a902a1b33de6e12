import { defineMigration } from './define-migration';

/**
 * How organisations and keys use the response cache, and what records say of it. Columns are null or have a default
 * without rewriting a row. The release before leaves them out of its INSERTs and serves no answer from the cache.
 */
export const responseCache = defineMigration(
  'ResponseCache1764000000039',
  `
  ALTER TABLE organisation
    ADD COLUMN response_cache text NOT NULL DEFAULT 'OFF',
    ADD COLUMN response_cache_ttl_seconds integer NOT NULL DEFAULT 3600,
    ADD COLUMN response_cache_price_percent integer NOT NULL DEFAULT 0,
    ADD COLUMN response_cache_generation integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT organisation_response_cache_check CHECK (response_cache IN ('OFF', 'ON', 'ON_REQUEST')),
    ADD CONSTRAINT organisation_response_cache_ttl_seconds_check CHECK (response_cache_ttl_seconds > 0),
    ADD CONSTRAINT organisation_response_cache_price_percent_check
      CHECK (response_cache_price_percent BETWEEN 0 AND 100);
  ALTER TABLE api_key
    ADD COLUMN response_cache text,
    ADD CONSTRAINT api_key_response_cache_check CHECK (response_cache IN ('OFF', 'ON', 'ON_REQUEST'));
  ALTER TABLE usage_record
    ADD COLUMN response_cache text,
    ADD COLUMN cached_cost_nano_usd bigint,
    ADD COLUMN cached_age_seconds integer;
`,
  `
  ALTER TABLE usage_record
    DROP COLUMN response_cache,
    DROP COLUMN cached_cost_nano_usd,
    DROP COLUMN cached_age_seconds;
  ALTER TABLE api_key DROP COLUMN response_cache;
  ALTER TABLE organisation
    DROP COLUMN response_cache,
    DROP COLUMN response_cache_ttl_seconds,
    DROP COLUMN response_cache_price_percent,
    DROP COLUMN response_cache_generation;
`,
);
