'use client';

import { rest } from '@tollgate/contracts';

import { Facts } from '../../design/facts';
import { TextField } from '../../design/text-field';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { showTime } from '../../format/time';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useTimeZone } from '../../shell/scope';
import { CORRECTIONS_STALE } from '../models/corrections-stale';
import { PriceTable } from '../models/price-view';

export type Decision = 'approve' | 'decline';

interface DecideFormProps {
  readonly decision: Decision;
  readonly correction: rest.PriceCorrection;
  readonly onClose: () => void;
}

const WORDS = {
  approve: {
    title: 'Approve the correction of',
    description:
      'Requests of the period are re-rated in the background. Records do not change; the differences are booked as corrections.',
    submit: 'Approve and re-rate',
    done: 'Price correction approved. The re-rating has started.',
    hint: 'Shown to the organisation.',
  },
  decline: {
    title: 'Decline the correction of',
    description: 'Nothing is booked. The organisation reads the reason.',
    submit: 'Decline',
    done: 'Price correction declined.',
    hint: 'Shown to the organisation.',
  },
} as const;

/** Decides about the version that is shown. */
export function DecideForm({ decision, correction, onClose }: DecideFormProps) {
  const { organisationId, id: priceCorrectionId, modelName } = correction;
  const { title, description } = WORDS[decision];
  return (
    <Window title={`${title} ${modelName}`} description={description} wide onClose={onClose}>
      <ReadForEditing
        endpoint={rest.getPriceCorrection}
        input={{ params: { organisationId, priceCorrectionId } }}
      >
        {({ value, etag }) => (
          <Form decision={decision} correction={value} etag={etag} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

type FormProps = DecideFormProps & { readonly etag: string | undefined };

function Form({ decision, correction, etag, onClose }: FormProps) {
  const timeZone = useTimeZone();
  const { id: priceCorrectionId, from, to, price, reason, requests, chargedUsd } = correction;
  const { submit, done, hint } = WORDS[decision];
  const params = { priceCorrectionId };
  const form = useSave({
    initial: { answer: '' },
    known: { etag },
    stale: CORRECTIONS_STALE,
    send: ({ answer }, call) =>
      decision === 'approve'
        ? call(rest.approvePriceCorrection, {
            params,
            body: answer.trim() === '' ? {} : { answer },
          })
        : call(rest.declinePriceCorrection, { params, body: { answer } }),
    changed: () => done,
    onClose,
  });
  return (
    <FormBody form={form} fields={['answer']} submit={submit} onClose={onClose}>
      <Facts
        facts={[
          { name: 'Why', value: reason },
          {
            name: 'Requests',
            value: `${showTime(from, 'minute', timeZone)} – ${showTime(to, 'minute', timeZone)}`,
          },
          {
            name: 'Booked when it was asked for',
            value: `about ${plural(requests, 'request')}, ${showUsd(chargedUsd)}`,
          },
        ]}
      />
      <PriceTable price={price} />
      <TextField
        label={decision === 'approve' ? 'Answer' : 'Reason'}
        optional={decision === 'approve'}
        hint={hint}
        {...form.field('answer')}
        maxLength={500}
        autoFocus
      />
    </FormBody>
  );
}
