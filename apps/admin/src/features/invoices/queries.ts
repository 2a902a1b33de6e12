import { rest } from '@tollgate/contracts';

/** Reads that a change of an invoice makes old. */
export const STALE = [
  rest.listInvoices.id,
  rest.listPlatformInvoices.id,
  rest.getInvoice.id,
  rest.listInvoiceLines.id,
];
