import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { toCsv, toPdf } from './invoice-files';
import { lines, teams } from './invoice-lines';
import { tags } from './invoice-tags';
import { create, get, issue, list, makeVoid, recompute, remove } from './invoices';

export const invoiceRoutes: Route[] = [
  serve(rest.listInvoices, (call) => list(call.db, call.query, call.organisation.id)),
  serve(rest.createInvoice, create),
  serve(rest.getInvoice, (call) => get(call.db, call.params)),
  serve(rest.listInvoiceLines, lines),
  serve(rest.getInvoiceTeams, teams),
  serve(rest.getInvoiceTags, tags),
  serve(rest.recomputeInvoice, recompute),
  serve(rest.issueInvoice, issue),
  serve(rest.voidInvoice, makeVoid),
  serve(rest.deleteInvoice, remove),
  serve(rest.exportInvoiceCsv, toCsv),
  serve(rest.exportInvoicePdf, toPdf),
  serve(rest.listPlatformInvoices, (call) => {
    const { organisationId, ...query } = call.query;
    return list(call.db, query, organisationId);
  }),
];
