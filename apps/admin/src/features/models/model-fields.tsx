'use client';

import {
  CAPABILITIES,
  MODEL_TYPES,
  rest,
  whyUnserved as whyTypeUnserved,
  type ModelType,
} from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import type { ApiError } from '../../api/rest-client';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { RegionsField } from '../../resource/regions-field';
import { fieldsOf } from '../../resource/use-form';
import { useOrganisation } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import { withCapability, type ModelDraft } from './model-draft';
import { NEW_PRICE } from './price-draft';
import { PriceFields } from './price-fields';
import { RetirementFields } from './retirement-fields';

export const MODEL_FIELDS = [
  'name',
  'providerId',
  'upstreamModel',
  'displayName',
  'type',
  'contextTokens',
  'defaultMaxOutputTokens',
  'maxOutputTokens',
  'maxToolCalls',
  'capabilities',
  'allowedRegions',
  'retirement',
  'status',
  'prices',
];

interface ModelFieldsProps {
  readonly draft: ModelDraft;
  readonly error: ApiError | undefined;
  /** The model exists, so its prices are set on its page. */
  readonly known: boolean;
  /** The field that gets the focus. */
  readonly focus?: string | undefined;
  readonly onChange: (part: Partial<ModelDraft>) => void;
}

const NUMBERS = [
  { name: 'contextTokens', label: 'Context, in tokens', optional: false },
  { name: 'maxOutputTokens', label: 'Maximum output, in tokens', optional: true },
  {
    name: 'defaultMaxOutputTokens',
    label: 'Default output bound, in tokens',
    optional: true,
    hint: 'Applies to requests without an output bound of their own. Empty: the maximum output.',
  },
  {
    name: 'maxToolCalls',
    label: 'Default calls per server tool',
    optional: false,
    hint: 'Held for tools that the provider runs and bills, such as web search, when a request sets no limit.',
  },
] as const;

export function ModelFields(props: ModelFieldsProps) {
  const { draft, error, known, onChange } = props;
  const field = fieldsOf(props);
  const whyUnserved = useWhyUnserved(draft.providerId);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="The name that requests use."
          {...field('name')}
          spellCheck={false}
          maxLength={200}
          autoFocus
        />
        <TextField
          label="Upstream model name"
          optional
          hint="Empty: same as the name."
          {...field('upstreamModel')}
          spellCheck={false}
          maxLength={300}
        />
      </div>
      <ListPicker
        of="providers"
        legend="Provider"
        error={fieldError(error, 'providerId')}
        chosen={draft.providerId === undefined ? [] : [draft.providerId]}
        onChange={([providerId]) => onChange({ providerId })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Type"
          error={fieldError(error, 'type') ?? whyUnserved(draft.type)}
          value={draft.type}
          choices={MODEL_TYPES.map((type) => ({ value: type, label: sentence(type) }))}
          onChange={(value) => onChange({ type: value })}
        />
        <Numbers {...props} />
      </div>
      <TextField
        label="Display name"
        optional
        hint="Shown in lists of models."
        {...field('displayName')}
        maxLength={200}
      />
      <Capabilities {...props} />
      <RegionsField of="this model" {...field('allowedRegions')} />
      <RetirementFields
        of="model"
        draft={draft.retirement}
        error={error}
        onChange={(retirement) => onChange({ retirement })}
      />
      <Switch
        label="Active"
        hint="When off, requests for this model are refused."
        checked={draft.status === 'ACTIVE'}
        onChange={(active) => onChange({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
      {!known && <FirstPrice {...props} />}
    </>
  );
}

/** What it may read, write and call. */
function Numbers({ draft, error, focus, onChange }: ModelFieldsProps) {
  return NUMBERS.map(({ name, label, optional, ...more }) => (
    <NumberField
      key={name}
      label={label}
      optional={optional}
      error={fieldError(error, name)}
      {...more}
      autoFocus={focus === name}
      value={draft[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  ));
}

function Capabilities({ draft, error, onChange }: ModelFieldsProps) {
  const { capabilities } = draft;
  const mistake = fieldError(error, 'capabilities');
  return (
    <>
      <Switch
        label="Declare capabilities beyond text"
        hint="Routing skips this model for requests that need other capabilities."
        checked={capabilities !== undefined}
        onChange={(on) => onChange({ capabilities: on ? [] : undefined })}
      />
      {capabilities !== undefined && (
        <fieldset className="flex flex-wrap gap-x-6 gap-y-2 pl-12">
          <legend className="sr-only">Capabilities beyond text</legend>
          {CAPABILITIES.map((capability) => (
            <label key={capability} className="flex cursor-pointer items-center gap-2">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={capabilities.includes(capability)}
                onChange={({ target }) =>
                  onChange({
                    capabilities: withCapability(capabilities, capability, target.checked),
                  })
                }
              />
              {sentence(capability)}
            </label>
          ))}
        </fieldset>
      )}
      <ErrorText>{mistake}</ErrorText>
    </>
  );
}

function FirstPrice({ draft, error, onChange }: ModelFieldsProps) {
  const { price } = draft;
  return (
    <>
      <Switch
        label="Set a price now"
        hint="Without a price, requests under a budget or a cost quota are refused."
        checked={price !== undefined}
        onChange={(on) => onChange({ price: on ? NEW_PRICE : undefined })}
      />
      {price !== undefined && (
        <PriceFields
          draft={price}
          error={error}
          at="prices[0]."
          onChange={(part) => onChange({ price: { ...price, ...part } })}
        />
      )}
    </>
  );
}

/** Why no route could serve a model of this type and provider; undefined when one can. */
function useWhyUnserved(providerId: string | undefined): (type: ModelType) => string | undefined {
  const { id: organisationId } = useOrganisation();
  const { data: settings } = useRead(rest.getSettings, { params: { organisationId } });
  const { data: provider } = useRead(
    rest.getProvider,
    { params: { organisationId, providerId: providerId ?? '' } },
    { enabled: providerId !== undefined },
  );
  return (type) => {
    if (settings === undefined || provider === undefined) return undefined;
    const { type: providerType, upstreamFormat } = provider;
    return whyTypeUnserved({ type, providerType, upstreamFormat }, settings.openCompatRoutes);
  };
}
