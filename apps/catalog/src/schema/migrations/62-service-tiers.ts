import { defineMigration } from './define-migration';

/**
 * Percentages of token prices by processing tier, and the tiers that requests were charged at. Columns are null or have a
 * default without rewriting a row. The release before leaves them out of its INSERTs: its prices have no percentages,
 * and its requests are charged at the standard price.
 */
export const serviceTiers = defineMigration(
  'ServiceTiers1764000000062',
  `
  ALTER TABLE price ADD COLUMN tier_percent jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE price_correction ADD COLUMN tier_percent jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE usage_rerate ADD COLUMN tier_percent jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE usage_record ADD COLUMN service_tier text;
  ALTER TABLE usage_adjustment ADD COLUMN service_tier text;
`,
  `
  ALTER TABLE usage_adjustment DROP COLUMN service_tier;
  ALTER TABLE usage_record DROP COLUMN service_tier;
  ALTER TABLE usage_rerate DROP COLUMN tier_percent;
  ALTER TABLE price_correction DROP COLUMN tier_percent;
  ALTER TABLE price DROP COLUMN tier_percent;
`,
);
