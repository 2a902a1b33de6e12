import { defineMigration } from './define-migration';

/**
 * What providers' caches and routing saved, at the prices of the request's time. Columns are null or have a
 * default without rewriting a row. The release before leaves them out of its INSERTs: its requests saved nothing.
 */
export const savings = defineMigration(
  'Savings1764000000046',
  `
  ALTER TABLE usage_record
    ADD COLUMN routing_policy_id uuid,
    ADD COLUMN first_choice_cost_nano_usd bigint;
  ALTER TABLE usage_record
    ADD COLUMN cache_saved_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN routing_saved_nano_usd bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_adjustment
    ADD COLUMN cache_saved_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN routing_saved_nano_usd bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage
    ADD COLUMN cache_saved_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN routing_saved_nano_usd bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_period
    ADD COLUMN cache_saved_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN routing_saved_nano_usd bigint NOT NULL DEFAULT 0;
  ALTER TABLE usage_removed
    ADD COLUMN cache_saved_nano_usd bigint NOT NULL DEFAULT 0,
    ADD COLUMN routing_saved_nano_usd bigint NOT NULL DEFAULT 0;
  CREATE INDEX usage_record_routing_policy_idx ON usage_record (organisation_id, routing_policy_id, authorised_at, id)
    WHERE routing_policy_id IS NOT NULL;
`,
  `
  DROP INDEX usage_record_routing_policy_idx;
  ALTER TABLE usage_removed
    DROP COLUMN cache_saved_nano_usd,
    DROP COLUMN routing_saved_nano_usd;
  ALTER TABLE usage_period
    DROP COLUMN cache_saved_nano_usd,
    DROP COLUMN routing_saved_nano_usd;
  ALTER TABLE usage
    DROP COLUMN cache_saved_nano_usd,
    DROP COLUMN routing_saved_nano_usd;
  ALTER TABLE usage_adjustment
    DROP COLUMN cache_saved_nano_usd,
    DROP COLUMN routing_saved_nano_usd;
  ALTER TABLE usage_record
    DROP COLUMN cache_saved_nano_usd,
    DROP COLUMN routing_saved_nano_usd;
  ALTER TABLE usage_record
    DROP COLUMN routing_policy_id,
    DROP COLUMN first_choice_cost_nano_usd;
`,
);
