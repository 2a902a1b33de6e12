'use client';

import { rest } from '@tollgate/contracts';
import { useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { TextField } from '../../design/text-field';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { useSave } from '../../resource/use-save';
import { useOrganisation } from '../../shell/scope';
import { CORRECTIONS_STALE } from './corrections-stale';
import { PeriodFields } from './period-fields';
import { correctionDraftOf, correctionOf, type CorrectionDraft } from './price-draft';
import { PriceFields } from './price-fields';
import { ReasonField } from './reason-field';
import { Rerating } from './rerating';

interface PriceCorrectionProps {
  readonly model: rest.Model;
  /** The wrong price. */
  readonly price: rest.PricePeriod;
  readonly onClose: () => void;
}

/**
 * Corrects a past price. The price history does not change; requests booked with the wrong price
 * are re-rated. Only operators start the re-rating, others ask them for it.
 */
export function PriceCorrection({ model, price, onClose }: PriceCorrectionProps) {
  const { timeZone } = useOrganisation();
  const [draft, setDraft] = useState(() => correctionDraftOf(price, timeZone));
  const [offer, setOffer] = useState<rest.CorrectionOffer>();
  const [rerate, setRerate] = useState<rest.Rerate>();
  return (
    <Window
      title={`Correct a price of ${model.name}`}
      description="Requests booked with the wrong price are re-rated. Records do not change; the differences are booked as corrections."
      wide
      onClose={onClose}
    >
      {rerate !== undefined && (
        <Rerating made={rerate} onBack={() => setRerate(undefined)} onClose={onClose} />
      )}
      {rerate === undefined && offer !== undefined && (
        <Offer
          offer={offer}
          onBack={() => setOffer(undefined)}
          onStarted={setRerate}
          onClose={onClose}
        />
      )}
      {rerate === undefined && offer === undefined && (
        <Ask
          model={model}
          initial={draft}
          onOffer={(offered, typed) => {
            setDraft(typed);
            setOffer(offered);
          }}
          onClose={onClose}
        />
      )}
    </Window>
  );
}

interface AskProps {
  readonly model: rest.Model;
  readonly initial: CorrectionDraft;
  readonly onOffer: (offer: rest.CorrectionOffer, typed: CorrectionDraft) => void;
  readonly onClose: () => void;
}

function Ask({ model, initial, onOffer, onClose }: AskProps) {
  const { timeZone } = useOrganisation();
  const client = useRest();
  const form = useForm<CorrectionDraft, rest.CorrectionOffer>({
    initial,
    stale: [],
    send: (draft) =>
      client.call(rest.offerCorrection, {
        params: { organisationId: model.organisationId, modelId: model.id },
        body: correctionOf(draft, timeZone),
      }),
    onDone: (offer) => onOffer(offer, form.draft),
  });
  const { draft, change, error, field } = form;
  return (
    <FormBody form={form} fields={['from', 'to', 'price']} submit="Preview" onClose={onClose}>
      <PeriodFields field={field} timeZone={timeZone} />
      <PriceFields draft={draft} error={error} at="price." onChange={change} />
    </FormBody>
  );
}

interface OfferProps {
  readonly offer: rest.CorrectionOffer;
  readonly onBack: () => void;
  readonly onStarted: (rerate: rest.Rerate) => void;
  readonly onClose: () => void;
}

function Offer({ offer, onBack, onStarted, onClose }: OfferProps) {
  const { requests, chargedUsd, mayApply } = offer;
  const summary = (
    <p className="font-medium">
      About {plural(requests, 'request')} in that period, charged {showUsd(chargedUsd)} together.
    </p>
  );
  if (mayApply) {
    return <Apply offer={offer} summary={summary} onStarted={onStarted} onClose={onBack} />;
  }
  return <AskOperators offer={offer} summary={summary} onBack={onBack} onClose={onClose} />;
}

interface AskOperatorsProps {
  readonly offer: rest.CorrectionOffer;
  readonly summary: ReactNode;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** For who may not re-rate: operators decide, and the page of price corrections shows what became of it. */
function AskOperators({ offer, summary, onBack, onClose }: AskOperatorsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial: { reason: '' },
    stale: CORRECTIONS_STALE,
    send: ({ reason }, call) =>
      call(rest.createPriceCorrection, {
        params: { organisationId },
        body: { ...offer.rerate, reason },
      }),
    made: () => 'Price correction requested. Its state is on the page Price corrections.',
    onSaved: onClose,
  });
  return (
    <FormBody form={form} fields={['reason']} submit="Ask the operators" onClose={onBack}>
      {summary}
      <p>An operator of the platform decides whether these requests are re-rated.</p>
      <ReasonField {...form.field('reason')} autoFocus />
    </FormBody>
  );
}

interface ApplyProps {
  readonly offer: rest.CorrectionOffer;
  readonly summary: ReactNode;
  readonly onStarted: (rerate: rest.Rerate) => void;
  readonly onClose: () => void;
}

function Apply({ offer, summary, onStarted, onClose }: ApplyProps) {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const form = useForm({
    initial: { reason: '', dryRun: true },
    stale: [rest.listRerates.id],
    send: (draft, idempotencyKey) =>
      client.call(rest.createRerate, {
        params: { organisationId },
        body: { ...offer.rerate, ...draft },
        idempotencyKey,
      }),
    onDone: onStarted,
  });
  const { draft, change, field } = form;
  return (
    <FormBody
      form={form}
      fields={['reason']}
      submit={draft.dryRun ? 'Count' : 'Re-rate'}
      onClose={onClose}
    >
      {summary}
      <TextField
        label="Reason"
        hint="Stored with every correction."
        {...field('reason')}
        maxLength={500}
        autoFocus
      />
      <label className="flex cursor-pointer items-center gap-2.5">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={draft.dryRun}
          onChange={(event) => change({ dryRun: event.target.checked })}
        />
        Count only, change nothing
      </label>
    </FormBody>
  );
}
