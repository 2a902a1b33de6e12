import { rest } from '@tollgate/contracts';

/** Endpoints whose cached answers an invoice's change outdates. */
export const STALE = [
  rest.listInvoices.id,
  rest.listPlatformInvoices.id,
  rest.getInvoice.id,
  rest.listInvoiceLines.id,
  rest.getInvoiceTeams.id,
  rest.getInvoiceTags.id,
];
