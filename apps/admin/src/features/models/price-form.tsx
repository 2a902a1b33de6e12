'use client';

import { rest } from '@tollgate/contracts';

import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { useOrganisation } from '../../shell/scope';
import { NEW_PRICE, priceDraftOf, scheduledOf, type ScheduleDraft } from './price-draft';
import { PriceFields } from './price-fields';

interface PriceFormProps {
  readonly model: rest.Model;
  readonly onClose: () => void;
}

const FIELDS = ['effectiveFrom', 'steps', 'perRequestUsd', 'perUnitUsd', 'tierPercent'];
/** Endpoints whose cached answers a price change outdates. */
export const PRICES_STALE = [rest.listPrices.id, rest.getModel.id, rest.listModels.id];

/** Sets a price from now on or later. The form starts with the current price. */
export function PriceForm({ model, onClose }: PriceFormProps) {
  const { timeZone } = useOrganisation();
  const { organisationId, id: modelId, name, currentPrice } = model;
  const form = useSave<ScheduleDraft, rest.Price>({
    initial: {
      ...(currentPrice === null ? NEW_PRICE : priceDraftOf(currentPrice)),
      effectiveFrom: '',
    },
    stale: PRICES_STALE,
    send: (draft, call) =>
      call(rest.addPrice, {
        params: { organisationId, modelId },
        body: scheduledOf(draft, timeZone),
      }),
    made: () => `Price of ${name} set.`,
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <Window
      title={`Set a price for ${name}`}
      description="Earlier requests keep the price they were booked with."
      wide
      onClose={onClose}
    >
      <FormBody form={form} fields={FIELDS} submit="Set price" onClose={onClose}>
        <TextField
          label="From"
          optional
          hint={`In ${timeZone}. Empty: from now on. To change a past price, correct it in the price history.`}
          {...field('effectiveFrom')}
          type="datetime-local"
          step="any"
        />
        <PriceFields draft={draft} error={error} onChange={change} />
      </FormBody>
    </Window>
  );
}
