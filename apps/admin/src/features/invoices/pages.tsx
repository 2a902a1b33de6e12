import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import { ORGANISATIONS_QUERY } from '../usage/queries';
import { narrowed } from '../users/narrowed';
import { InvoicePage } from './invoice-page';
import { Invoices } from './invoices';

export const invoicesPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listInvoices, {
      params: { organisationId },
      query: listInput(rest.listInvoices, get),
    }),
  ],
  view: () => <Invoices />,
};

export const platformInvoicesPage: WidePage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listPlatformInvoices, {
      query: listInput(rest.listPlatformInvoices, get, narrowed(organisationId)),
    }),
    ask(rest.listOrganisations, { query: ORGANISATIONS_QUERY }),
  ],
  view: () => <Invoices />,
};

export const invoicePage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: invoiceId = '' } }) => {
    const params = { organisationId, invoiceId };
    return [
      ask(rest.getInvoice, { params }),
      ask(rest.getInvoiceTeams, { params }),
      ask(rest.listInvoiceLines, { params, query: listInput(rest.listInvoiceLines, get) }),
    ];
  },
  view: ({ path: { id: invoiceId = '' } }) => <InvoicePage invoiceId={invoiceId} />,
};
