'use client';

import { SERVICE_TIER_NAMES, SERVICE_TIERS, type ServiceTierName } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';

import type { ApiError } from '../../api/rest-client';
import { Button, IconButton } from '../../design/button';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import type { TierDraft } from './price-draft';
import { wordsOf } from './price-view';

interface TierFieldsProps {
  readonly tiers: readonly TierDraft[];
  readonly error: ApiError | undefined;
  /** The path prefix of the price in the request. */
  readonly at: string;
  readonly onChange: (tiers: readonly TierDraft[]) => void;
}

/** Percentages of the token prices by processing tier. */
export function TierFields({ tiers, error, at, onChange }: TierFieldsProps) {
  const unused = SERVICE_TIER_NAMES.filter((tier) => tiers.every((known) => known.tier !== tier));
  const [nextTier] = unused;
  return (
    <>
      {tiers.map((known, index) => (
        <TierRow
          key={known.tier}
          known={known}
          choices={[known.tier, ...unused]}
          error={fieldError(error, `${at}tierPercent.${known.tier}`)}
          onChange={(next) => onChange(tiers.map((one, place) => (place === index ? next : one)))}
          onRemove={() => onChange(tiers.filter((_, place) => place !== index))}
        />
      ))}
      {nextTier !== undefined && (
        <div>
          <Button
            size="small"
            onClick={() => onChange([...tiers, { tier: nextTier, percent: '' }])}
          >
            <Plus aria-hidden />
            Add a tier
          </Button>
        </div>
      )}
    </>
  );
}

interface TierRowProps {
  readonly known: TierDraft;
  readonly choices: readonly ServiceTierName[];
  readonly error: string | undefined;
  readonly onChange: (known: TierDraft) => void;
  readonly onRemove: () => void;
}

function TierRow({ known, choices, error, onChange, onRemove }: TierRowProps) {
  const { tier, percent } = known;
  return (
    <fieldset className="flex items-start gap-2">
      <legend className="sr-only">Price of the tier {wordsOf(tier)}</legend>
      <div className="min-w-0 flex-1">
        <SelectField
          label="Tier"
          hint={SERVICE_TIERS[tier].meaning}
          value={tier}
          choices={choices.map((name) => ({ value: name, label: wordsOf(name) }))}
          onChange={(value) => onChange({ tier: value, percent })}
        />
      </div>
      <div className="w-32">
        <TextField
          inputMode="decimal"
          label="Percent"
          error={error}
          value={percent}
          onChange={(value) => onChange({ tier, percent: value })}
        />
      </div>
      <IconButton label={`Remove the tier ${wordsOf(tier)}`} className="mt-7" onClick={onRemove}>
        <Trash2 />
      </IconButton>
    </fieldset>
  );
}
