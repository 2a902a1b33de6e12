'use client';

import { useState } from 'react';

import { TextField } from '../../design/text-field';
import { useToast } from '../../design/toast';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';

interface ReasonFormProps {
  readonly title: string;
  readonly description: string;
  readonly submit: string;
  /** The text to type as confirmation. */
  readonly confirm: string;
  readonly send: (reason: string) => Promise<unknown>;
  readonly stale: readonly string[];
  readonly done: string;
  readonly onClose: () => void;
}

/** A form for irreversible changes of the ledger, which need a reason. */
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
  const { draft, change, field } = form;
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
        <ReasonField {...field('reason')} />
        <TextField
          label={`Type “${confirm}” to confirm`}
          error={unconfirmed ? 'The text does not match. Type it exactly as shown.' : undefined}
          value={draft.typed}
          onChange={(value) => change({ typed: value })}
          spellCheck={false}
        />
      </FormBody>
    </Window>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (reason: string) => void;
}

/** The reason that is stored with a change of the ledger. */
export function ReasonField(props: ReasonFieldProps) {
  return <TextField label="Reason" hint="Stored with the booking." {...props} maxLength={500} />;
}
