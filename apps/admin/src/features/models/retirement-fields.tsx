'use client';

import type { ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { TextField } from '../../design/text-field';
import { ListPicker } from '../pickers/pickers';
import { InstantField } from './instant-field';
import { NEW_RETIREMENT, type RetirementDraft } from './retirement-draft';

interface RetirementFieldsProps {
  /** "model", "alias". */
  readonly of: string;
  readonly draft: RetirementDraft | undefined;
  readonly error: ApiError | undefined;
  readonly onChange: (draft: RetirementDraft | undefined) => void;
}

/** When a model or an alias comes to an end, and what is used instead. */
export function RetirementFields({ of, draft, error, onChange }: RetirementFieldsProps) {
  const mistake = (name: string) => fieldError(error, `retirement.${name}`);
  const change = (part: Partial<RetirementDraft>): void =>
    onChange({ ...(draft ?? NEW_RETIREMENT), ...part });
  return (
    <>
      <Switch
        label="Announce retirement"
        hint={`Answers tell clients when this ${of} ends, and what to use instead.`}
        checked={draft !== undefined}
        onChange={(on) => onChange(on ? NEW_RETIREMENT : undefined)}
      />
      {draft !== undefined && (
        <fieldset className="flex flex-col gap-4 border-l pl-4">
          <legend className="sr-only">The end of this {of}</legend>
          <div className="grid gap-4 sm:grid-cols-2">
            <InstantField
              label="Deprecated from"
              error={mistake('deprecatedAt')}
              value={draft.deprecatedAt}
              onChange={(deprecatedAt) => change({ deprecatedAt })}
            />
            <InstantField
              label="Sunset"
              hint="From then on, lists leave it out."
              error={mistake('sunsetAt')}
              value={draft.sunsetAt}
              onChange={(sunsetAt) => change({ sunsetAt })}
            />
          </div>
          <ListPicker
            of="models"
            many={false}
            legend="Replacement"
            hint="Named in headers and in the refusal."
            error={mistake('replacementModelId')}
            chosen={draft.replacementModelId === undefined ? [] : [draft.replacementModelId]}
            onChange={([replacementModelId]) => change({ replacementModelId })}
          />
          {draft.replacementModelId !== undefined && (
            <div>
              <Button size="small" onClick={() => change({ replacementModelId: undefined })}>
                Remove the replacement
              </Button>
            </div>
          )}
          <Switch
            label="The replacement answers from the sunset on"
            hint="For keys that may use it, at its price. When off, requests are refused."
            checked={draft.replaces}
            onChange={(replaces) => change({ replaces })}
          />
          <TextField
            label="Information page"
            optional
            hint="Its URL is sent in the `link` header."
            error={mistake('url')}
            value={draft.url}
            onChange={(url) => change({ url })}
            type="url"
            maxLength={500}
          />
        </fieldset>
      )}
    </>
  );
}
