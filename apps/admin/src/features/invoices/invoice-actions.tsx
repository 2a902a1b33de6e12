'use client';

import { rest } from '@tollgate/contracts';
import { Ban, FileDown, FileSpreadsheet, RotateCw, Stamp, Trash2 } from 'lucide-react';

import { useRest } from '../../api/provider';
import type { MenuAction } from '../../design/menu';
import { showUsd } from '../../format/money';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { asShown } from './as-shown';
import { monthName } from './month';
import { STALE } from './queries';
import { VoidDialog } from './void-dialog';

/** The open dialog and its invoice. */
export interface InvoiceWindow {
  readonly open: 'recompute' | 'issue' | 'void' | 'delete';
  readonly invoice: rest.Invoice;
  readonly onDeleted?: () => void;
}

/** The path of an invoice's file. */
export function fileOf({ id, organisationId }: rest.Invoice, file: 'pdf' | 'csv'): string {
  const { path } = file === 'pdf' ? rest.exportInvoicePdf : rest.exportInvoiceCsv;
  return rest.fillPath(path, { organisationId, invoiceId: id });
}

interface ActionsOf {
  readonly invoice: rest.Invoice;
  readonly mayWrite: boolean;
  readonly open: (window: InvoiceWindow) => void;
  readonly onDeleted?: () => void;
}

/** Actions of an invoice: downloads always, changes by status and permission. */
export function invoiceActions({ invoice, mayWrite, open, onDeleted }: ActionsOf): MenuAction[] {
  const ask = (what: InvoiceWindow['open']) => () =>
    open({ open: what, invoice, ...(onDeleted && { onDeleted }) });
  const files: MenuAction[] = [
    {
      label: 'Download PDF',
      icon: FileDown,
      onSelect: () => location.assign(fileOf(invoice, 'pdf')),
    },
    {
      label: 'Download CSV',
      icon: FileSpreadsheet,
      onSelect: () => location.assign(fileOf(invoice, 'csv')),
    },
  ];
  if (!mayWrite || invoice.status === 'VOID') return files;
  if (invoice.status === 'ISSUED') {
    return [...files, { label: 'Void', icon: Ban, danger: true, onSelect: ask('void') }];
  }
  return [
    { label: 'Issue', icon: Stamp, onSelect: ask('issue') },
    { label: 'Refresh', icon: RotateCw, onSelect: ask('recompute') },
    ...files,
    { label: 'Delete draft', icon: Trash2, danger: true, onSelect: ask('delete') },
  ];
}

interface WindowsProps {
  readonly window: InvoiceWindow | undefined;
  readonly onClose: () => void;
}

export function InvoiceWindows({ window, onClose }: WindowsProps) {
  const client = useRest();
  if (window === undefined) return null;
  const { open, invoice, onDeleted } = window;
  if (open === 'void') return <VoidDialog invoice={invoice} onClose={onClose} />;
  const of = { params: { organisationId: invoice.organisationId, invoiceId: invoice.id } };
  const month = monthName(invoice.month);
  const questions: Record<typeof open, Question> = {
    recompute: {
      title: `Refresh the draft of ${month}?`,
      consequence: 'Recomputes its lines from everything booked so far.',
      confirm: 'Refresh',
      run: () => client.call(rest.recomputeInvoice, of),
      stale: STALE,
      done: `Draft of ${month} refreshed.`,
    },
    issue: {
      title: `Issue the invoice of ${month}?`,
      consequence: `The invoice gets the next number and ${showUsd(invoice.dueUsd)} is due. An issued invoice cannot be changed, only voided.`,
      name: month,
      confirm: 'Issue',
      cancel: 'Keep the draft',
      run: async () =>
        client.call(rest.issueInvoice, { ...of, ...(await asShown(client, invoice)) }),
      stale: STALE,
      done: `Invoice of ${month} issued.`,
    },
    delete: {
      title: `Delete the draft of ${month}?`,
      consequence: 'Booked usage is kept. You can draft the invoice again.',
      confirm: 'Delete draft',
      run: async () =>
        client.call(rest.deleteInvoice, { ...of, ...(await asShown(client, invoice)) }),
      undo: {
        run: () =>
          client.call(rest.createInvoice, {
            params: { organisationId: invoice.organisationId },
            body: { month: invoice.month },
          }),
        done: `Invoice of ${month} drafted again from everything booked so far.`,
      },
      stale: onDeleted === undefined ? STALE : STALE.slice(0, 2),
      done: `Draft of ${month} deleted.`,
      ...(onDeleted && { onDone: onDeleted }),
    },
  };
  return <ConfirmDialog question={questions[open]} onClose={onClose} />;
}
