import { sumNarrowRows } from '../../ledger/rollups/period-sql';
import { AMOUNTS_OF_14, SERVED_OF_14 } from './amounts';
import { defineMigration } from './define-migration';

/**
 * Days and months of each owner and of each organisation in one row, and with each record the zone that
 * it was booked in. The release before leaves both out of what it books: see `npm run ledger:rebuild`.
 */
export const narrowPeriods = defineMigration(
  'NarrowPeriods1764000000016',
  `
  ALTER TABLE usage_record ADD COLUMN time_zone text;
  ALTER TABLE usage_period
    DROP CONSTRAINT usage_period_period_check,
    ADD CONSTRAINT usage_period_period_check CHECK (period IN ('HOUR', 'DAY', 'MONTH', 'OWNER_DAY',
      'OWNER_MONTH', 'WHOLE_DAY', 'WHOLE_MONTH'));
  ${sumNarrowRows('true', { amounts: AMOUNTS_OF_14, served: SERVED_OF_14 })};
`,
  `
  DELETE FROM usage_period WHERE period NOT IN ('HOUR', 'DAY', 'MONTH');
  ALTER TABLE usage_period
    DROP CONSTRAINT usage_period_period_check,
    ADD CONSTRAINT usage_period_period_check CHECK (period IN ('HOUR', 'DAY', 'MONTH'));
  ALTER TABLE usage_record DROP COLUMN time_zone;
`,
);
