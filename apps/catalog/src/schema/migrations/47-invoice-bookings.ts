import { defineMigration } from './define-migration';

/**
 * Which bookings an invoice is computed from, so that it can be summed in other ways later. Columns are null without
 * rewriting a row. The release before leaves them as they are when it computes a draft anew: such an invoice tells what
 * it cannot attribute.
 */
export const invoiceBookings = defineMigration(
  'InvoiceBookings1764000000047',
  `
  ALTER TABLE invoice
    ADD COLUMN booked_before_xid bigint,
    ADD COLUMN booked_without_xids bigint[];
`,
  `
  ALTER TABLE invoice
    DROP COLUMN booked_before_xid,
    DROP COLUMN booked_without_xids;
`,
);
