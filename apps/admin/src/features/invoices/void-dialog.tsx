'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { AlertDialog, DialogActions, DialogBody } from '../../design/dialog';
import { TextField } from '../../design/text-field';
import { OtherErrors } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { asShown } from './as-shown';
import { monthName } from './month';
import { STALE } from './queries';

interface VoidDialogProps {
  readonly invoice: rest.Invoice;
  readonly onClose: () => void;
}

/** Lists return no ETags, so it is read on demand. */
const NOT_READ = { etag: undefined };

/** Asks for a reason and the invoice's number before voiding. */
export function VoidDialog({ invoice, onClose }: VoidDialogProps) {
  const client = useRest();
  const [typed, setTyped] = useState('');
  const { id: invoiceId, organisationId, month } = invoice;
  const number = invoice.number ?? '';
  const form = useSave({
    initial: { reason: '' },
    stale: STALE,
    known: NOT_READ,
    send: async ({ reason }, call) =>
      call(rest.voidInvoice, {
        params: { organisationId, invoiceId },
        body: { reason: reason.trim() },
        ...(await asShown(client, invoice)),
      }),
    changed: () => `Invoice ${number} voided.`,
    onClose,
  });
  const named = typed.trim() === number;
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Void invoice ${number} of ${monthName(month)}?`}
      description="The invoice keeps its number and stays in the list. Its usage can be billed again. This cannot be undone."
    >
      <form
        noValidate
        onSubmit={(event) => {
          if (named) form.submit(event);
          else event.preventDefault();
        }}
      >
        <DialogBody>
          <OtherErrors error={form.error} fields={['reason']} />
          <TextField
            label="Reason"
            hint="Stored with the invoice."
            {...form.field('reason')}
            maxLength={500}
            autoFocus
          />
          <TextField
            label={`Type “${number}” to confirm`}
            value={typed}
            onChange={setTyped}
            spellCheck={false}
          />
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Keep the invoice</Button>
          <Button type="submit" look="danger" disabled={!named} busy={form.busy}>
            Void invoice
          </Button>
        </DialogActions>
      </form>
    </AlertDialog>
  );
}
