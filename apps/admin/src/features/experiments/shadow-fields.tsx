'use client';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { ListPicker } from '../pickers/pickers';
import type { ShadowDraft } from './experiment-draft';

interface ShadowFieldsProps {
  readonly shadow: ShadowDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (shadow: ShadowDraft) => void;
}

/** The second model of an experiment; without one there is no shadow. */
export function ShadowFields({ shadow, error, onChange }: ShadowFieldsProps) {
  const change = (part: Partial<ShadowDraft>): void => onChange({ ...shadow, ...part });
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border p-3">
      <legend className="px-1 text-sm text-ink-soft">Shadow</legend>
      <ListPicker
        of="models"
        many={false}
        legend="Model of the shadow"
        hint="It gets a part of the requests a second time. Clients never wait for it. Without a model there is no shadow."
        error={fieldError(error, 'shadow.modelId')}
        chosen={shadow.modelId === undefined ? [] : [shadow.modelId]}
        onChange={([modelId]) => change({ modelId })}
      />
      {shadow.modelId !== undefined && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Sampled requests in %"
            error={fieldError(error, 'shadow.samplePercent')}
            value={shadow.samplePercent}
            onChange={(samplePercent) => change({ samplePercent })}
            inputMode="numeric"
            maxLength={3}
          />
          <TextField
            label="Budget a day in US dollars"
            hint="Limits of API keys, teams and users do not count it. Budgets and quotas of the organisation and of the model do."
            error={fieldError(error, 'shadow.dailyUsd')}
            value={shadow.dailyUsd}
            onChange={(dailyUsd) => change({ dailyUsd })}
            inputMode="decimal"
            maxLength={17}
          />
        </div>
      )}
    </fieldset>
  );
}
