'use client';

import type { ReactNode } from 'react';

import type { ApiError } from '../api/rest-client';
import { Button } from '../design/button';
import { Dialog, DialogActions, DialogBody } from '../design/dialog';
import { Failure } from '../design/failure';
import { hasOtherErrors } from '../design/field-error';
import type { Form } from './use-form';

interface WindowProps {
  readonly title: string;
  readonly description: string;
  readonly wide?: boolean | 'double';
  /** Asked before the dialog closes by Escape, its close button or a click outside. */
  readonly closeQuestion?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that is open while it is mounted. */
export function Window(props: WindowProps) {
  const { title, description, wide = false, closeQuestion, onClose, children } = props;
  return (
    <Dialog
      open
      closeQuestion={closeQuestion}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      wide={wide}
      title={title}
      description={description}
    >
      {children}
    </Dialog>
  );
}

interface FormBodyProps<Draft> {
  readonly form: Form<Draft>;
  /** Fields that show their own errors. Other errors are shown above the form. */
  readonly fields: readonly string[];
  readonly submit: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The form of a dialog, with its buttons. */
export function FormBody<Draft>(props: FormBodyProps<Draft>) {
  const { form, fields, submit, onClose, children } = props;
  return (
    <form onSubmit={form.submit} noValidate className="flex min-h-0 flex-col">
      <DialogBody>
        <OtherErrors error={form.error} fields={fields} />
        {children}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.busy}>
          {submit}
        </Button>
      </DialogActions>
    </form>
  );
}

interface OtherErrorsProps {
  readonly error: ApiError | undefined;
  readonly fields: readonly string[];
}

const CHANGED_MEANWHILE = 412;

/** Errors that belong to no field. */
export function OtherErrors({ error, fields }: OtherErrorsProps) {
  if (error === undefined || !hasOtherErrors(error, fields)) return null;
  if (error.status !== CHANGED_MEANWHILE) return <Failure error={error} />;
  return (
    <Failure error={error}>
      <p className="mt-1 text-sm">
        Someone else changed this after you opened it, so your changes were not saved. Open it
        again, or reload the page, to see the current version.
      </p>
    </Failure>
  );
}
