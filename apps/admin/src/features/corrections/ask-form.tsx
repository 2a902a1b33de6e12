'use client';

import { rest } from '@tollgate/contracts';

import { fieldError } from '../../design/field-error';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { useOrganisation } from '../../shell/scope';
import { CORRECTIONS_STALE } from '../models/corrections-stale';
import { PeriodFields } from '../models/period-fields';
import { correctionOf, NEW_PRICE, type CorrectionDraft } from '../models/price-draft';
import { PriceFields } from '../models/price-fields';
import { ReasonField } from '../models/reason-field';
import { ListPicker } from '../pickers/pickers';

type AskDraft = CorrectionDraft & {
  readonly modelId: string | undefined;
  readonly reason: string;
};

/** Asks the operators to correct what requests of one model have cost. */
export function AskForm({ onClose }: { onClose: () => void }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const form = useSave<AskDraft, rest.PriceCorrection>({
    initial: { ...NEW_PRICE, modelId: undefined, from: '', to: '', reason: '' },
    stale: CORRECTIONS_STALE,
    send: ({ modelId = '', reason, ...draft }, call) =>
      call(rest.createPriceCorrection, {
        params: { organisationId },
        body: { modelId, reason, ...correctionOf(draft, timeZone) },
      }),
    made: () => 'Price correction requested.',
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <Window
      title="Ask for a price correction"
      description="An operator of the platform decides. If they approve, requests of the period are re-rated, and invoices of open months with them."
      wide
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['modelId', 'from', 'to', 'price', 'reason']}
        submit="Ask"
        onClose={onClose}
      >
        <ListPicker
          of="models"
          many={false}
          legend="Model"
          error={fieldError(error, 'modelId')}
          chosen={draft.modelId === undefined ? [] : [draft.modelId]}
          onChange={([modelId]) => change({ modelId })}
        />
        <PeriodFields field={field} timeZone={timeZone} />
        <PriceFields draft={draft} error={error} at="price." onChange={change} />
        <ReasonField {...field('reason')} />
      </FormBody>
    </Window>
  );
}
