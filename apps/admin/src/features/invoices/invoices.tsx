'use client';

import { rest } from '@tollgate/contracts';
import { ReceiptText } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';

import { ListPage } from '../../resource/list-page';
import { sourceOf, type Source } from '../../resource/source';
import { useMay, useScope, useTimeZone } from '../../shell/scope';
import { narrowed } from '../users/narrowed';
import { useInvoiceColumns } from './columns';
import { DraftForm } from './draft-form';
import { invoiceActions, InvoiceWindows, type InvoiceWindow } from './invoice-actions';
import { latestMonths, monthName, withMonth } from './month';

/** How many months the filter offers. The URL may name an earlier one. */
const MONTHS = 36;

/** The invoices by month. */
export function Invoices() {
  const { organisation, platform } = useScope();
  const mayWrite = useMay('invoices.write');
  const columns = useInvoiceColumns();
  const [drafting, setDrafting] = useState(false);
  const timeZone = useTimeZone();
  const [latest] = useState(() => latestMonths(Date.now(), timeZone, MONTHS));
  const months = withMonth(latest, useSearchParams().get('month'));
  const [window, setWindow] = useState<InvoiceWindow>();
  const source: Source<rest.Invoice> =
    platform || organisation === null
      ? sourceOf(rest.listPlatformInvoices, {})
      : sourceOf(rest.listInvoices, { organisationId: organisation.id });
  return (
    <ListPage
      title="Invoices"
      description={
        mayWrite
          ? 'One invoice per month. An issued invoice does not change.'
          : 'One invoice per month, drafted and issued by the platform’s administrators.'
      }
      create={mayWrite && { label: 'Draft an invoice', onSelect: () => setDrafting(true) }}
      source={source}
      fixed={platform ? narrowed(organisation?.id) : {}}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ month, number }) => `${monthName(month)}${number === null ? '' : ` ${number}`}`}
      filters={[
        {
          name: 'month',
          label: 'Month',
          any: 'Any month',
          values: months,
          wordOf: monthName,
        },
        { name: 'status', label: 'Status', any: 'Any status', values: rest.INVOICE_STATUSES },
      ]}
      actions={(invoice) => invoiceActions({ invoice, mayWrite, open: setWindow })}
      empty={{
        icon: ReceiptText,
        title: 'No invoices yet',
        text: mayWrite
          ? 'Draft the invoice of a month, check it, then issue it.'
          : 'Invoices appear here once they are drafted.',
      }}
    >
      {drafting && <DraftForm onClose={() => setDrafting(false)} />}
      <InvoiceWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}
