'use client';

import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';
import { Switch } from '../../design/switch';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { useOrganisation } from '../../shell/scope';
import { instantIn } from '../models/zoned';
import { ReasonField } from './reason-form';

interface RerateFormProps {
  readonly onStarted: (rerate: rest.Rerate) => void;
  readonly onClose: () => void;
}

/** Applies earlier price corrections again to requests booked since. */
export function RerateForm({ onStarted, onClose }: RerateFormProps) {
  const { id: organisationId, timeZone } = useOrganisation();
  const client = useRest();
  const form = useForm({
    initial: { from: '', to: '', dryRun: true, reason: '' },
    stale: [rest.listRerates.id],
    send: ({ from, to, dryRun, reason }, idempotencyKey) =>
      client.call(rest.createRerate, {
        params: { organisationId },
        body: { from: instantIn(from, timeZone), to: instantIn(to, timeZone), dryRun, reason },
        idempotencyKey,
      }),
    onDone: onStarted,
  });
  const { draft, change, field } = form;
  return (
    <Window
      title="Re-rate a period"
      description="Applies earlier price corrections again. To correct a price, open its model."
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['from', 'to', 'reason']}
        submit={draft.dryRun ? 'Count' : 'Re-rate'}
        onClose={onClose}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          {(['from', 'to'] as const).map((name) => (
            <TextField
              key={name}
              label={name === 'from' ? 'From' : 'To (exclusive)'}
              {...field(name)}
              type="datetime-local"
            />
          ))}
        </div>
        <ReasonField {...field('reason')} />
        <Switch
          label="Count only"
          hint="Reports what would change without changing anything."
          checked={draft.dryRun}
          onChange={(dryRun) => change({ dryRun })}
        />
      </FormBody>
    </Window>
  );
}
