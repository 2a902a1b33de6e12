'use client';

import { rest } from '@tollgate/contracts';
import { useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { TextField } from '../../design/text-field';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { useOrganisation } from '../../shell/scope';
import { correctionDraftOf, correctionOf, type CorrectionDraft } from './price-draft';
import { PriceFields } from './price-fields';
import { Rerating } from './rerating';

interface PriceCorrectionProps {
  readonly model: rest.Model;
  /** The wrong price. */
  readonly price: rest.PricePeriod;
  readonly onClose: () => void;
}

/**
 * Corrects a past price. The price history does not change; requests booked with the wrong price
 * are re-rated. Only some users may start the re-rating, others get its description.
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

const ENDS = [
  { name: 'from', label: 'Requests from', optional: false },
  { name: 'to', label: 'Until', optional: true },
] as const;

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
      <div className="grid gap-4 sm:grid-cols-2">
        {ENDS.map(({ name, label, optional }) => (
          <TextField
            key={name}
            label={label}
            optional={optional}
            hint={optional ? 'Empty: until now.' : `In ${timeZone}.`}
            {...field(name)}
            type="datetime-local"
            step="any"
          />
        ))}
      </div>
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
  const { requests, chargedUsd, rerate, mayApply } = offer;
  const summary = (
    <p className="font-medium">
      About {plural(requests, 'request')} in that period, charged {showUsd(chargedUsd)} together.
    </p>
  );
  if (mayApply) {
    return <Apply offer={offer} summary={summary} onStarted={onStarted} onClose={onBack} />;
  }
  return (
    <>
      <DialogBody>
        {summary}
        <p>
          Only a platform administrator can re-rate booked requests. Send them this, with your
          reason:
        </p>
        <CodeBlock label="What to re-rate" text={JSON.stringify(rerate, undefined, 2)} />
      </DialogBody>
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
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
