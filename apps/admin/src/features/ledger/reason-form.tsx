'use client';

import { useState } from 'react';
import { Field, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { useToast } from '../../design/toast';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';

type ReasonFormProps = {
  readonly title: string;
  readonly description: string;
  readonly submit: string;
  /** What has to be typed before it is sent. */
  readonly confirm: string;
  readonly send: (reason: string) => Promise<unknown>;
  readonly stale: readonly string[];
  readonly done: string;
  readonly onClose: () => void;
};

/** Something that cannot be undone, and that the books give a reason for. */
export function ReasonForm(props: ReasonFormProps) {
  const { title, description, submit, confirm, send, stale, done, onClose } = props;
  const say = useToast();
  const [unconfirmed, setUnconfirmed] = useState(false);
  const form = useForm({
    initial: { reason: '', typed: '' },
    send: ({ reason }) => send(reason),
    stale,
    onDone: () => {
      say(done);
      onClose();
    },
  });
  const { draft, change, error } = form;
  const guarded = {
    ...form,
    submit: (event: Parameters<typeof form.submit>[0]): void => {
      event.preventDefault();
      const named = draft.typed.trim() === confirm;
      setUnconfirmed(!named);
      if (named) form.submit(event);
    },
  };
  return (
    <Window title={title} description={description} onClose={onClose}>
      <FormBody form={guarded} fields={['reason']} submit={submit} onClose={onClose}>
        <ReasonField
          reason={draft.reason}
          error={fieldError(error, 'reason')}
          onChange={(reason) => change({ reason })}
        />
        <Field
          label={`Type “${confirm}” to confirm`}
          error={unconfirmed ? 'This is not what is asked for.' : undefined}
        >
          {(field) => (
            <TextInput
              {...field}
              value={draft.typed}
              onChange={(event) => change({ typed: event.target.value })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      </FormBody>
    </Window>
  );
}

type ReasonFieldProps = {
  readonly reason: string;
  readonly error: string | undefined;
  readonly onChange: (reason: string) => void;
};

/** Why the books are changed, for whoever reads them. */
export function ReasonField({ reason, error, onChange }: ReasonFieldProps) {
  return (
    <Field label="Reason" hint="Kept in the books, for whoever reads the bill." error={error}>
      {(field) => (
        <TextInput
          {...field}
          value={reason}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="off"
          maxLength={500}
        />
      )}
    </Field>
  );
}
