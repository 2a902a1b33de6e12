'use client';

import {
  IDENTITY_CHARACTERS,
  PROVIDER_TYPES,
  REGION_CHARACTERS,
  vendorByType,
  type ProviderType,
} from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { Button } from '../../design/button';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { IDENTITY_HINTS } from './identity-hints';
import { mayHaveResponses, withType, type Draft } from './provider-draft';
import { suggestedRegion } from './suggested-region';

/** Fields that show their own error. A switch shows none, so its error stands above the form. */
export const PROVIDER_FORM_FIELDS = [
  'name',
  'type',
  'upstreamFormat',
  'baseUrl',
  'apiVersion',
  'apiKey',
  'region',
  'headers',
  'timeoutMs',
  'connectTimeoutMs',
  'firstByteTimeoutMs',
  'idleTimeoutMs',
];

interface ProviderFieldsProps {
  readonly draft: Draft;
  readonly error: ApiError | undefined;
  /** The provider exists: its type is fixed, and its keys are managed on its page. */
  readonly known: boolean;
  /** The error of a field that a test found. */
  readonly wrong: (field: string) => string | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function ProviderFields(props: ProviderFieldsProps) {
  const { draft, onChange } = props;
  const field = fieldsOf(props, mistakesOf(props));
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      <ConnectionFields {...props} />
      {mayHaveResponses(draft) && (
        <Switch
          label="Responses API"
          hint="The upstream serves /responses and stores responses and conversations. When off, the gateway translates responses to chat."
          checked={draft.nativeResponses}
          onChange={(nativeResponses) => onChange({ nativeResponses })}
        />
      )}
      <RegionField {...props} />
      <Advanced {...props} />
      <Switch
        label="Active"
        hint="When off, its models accept no requests."
        checked={draft.status === 'ACTIVE'}
        onChange={(active) => onChange({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
    </>
  );
}

/** What is needed to reach an upstream: type, address and key. */
export function ConnectionFields(props: ProviderFieldsProps) {
  const { draft, known, onChange } = props;
  const mistake = mistakesOf(props);
  const field = fieldsOf(props, mistake);
  return (
    <>
      {!known && <TypeAndFormat {...props} />}
      <TextField
        label="Base URL"
        hint={vendorByType(draft.type).baseUrlHint ?? undefined}
        error={mistake('baseUrl')}
        value={draft.baseUrl}
        onChange={(value) => onChange({ baseUrl: value, baseUrlTyped: value !== '' })}
        type="url"
        spellCheck={false}
        maxLength={500}
      />
      {vendorByType(draft.type).takesApiVersion && (
        <TextField
          label="API version"
          optional
          hint="Sent as api-version, for example 2024-10-21."
          {...field('apiVersion')}
          spellCheck={false}
          maxLength={50}
        />
      )}
      <KeyField {...props} />
    </>
  );
}

/** Where the upstream processes requests. What the address suggests is offered, never assumed. */
function RegionField(props: ProviderFieldsProps) {
  const { draft, onChange } = props;
  const field = fieldsOf(props, mistakesOf(props));
  const suggested = suggestedRegion(draft.baseUrl.trim());
  return (
    <>
      <TextField
        label="Region"
        optional
        hint="Where this connection processes requests, by your organisation’s own name, for example eu. Without one, keys with allowed regions do not use the provider."
        {...field('region')}
        spellCheck={false}
        maxLength={REGION_CHARACTERS}
      />
      {suggested !== undefined && suggested !== draft.region.trim() && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          The base URL names the region {suggested}. Check it with your vendor.
          <Button size="small" onClick={() => onChange({ region: suggested })}>
            Use {suggested}
          </Button>
        </p>
      )}
    </>
  );
}

type MistakeOf = (name: string) => string | undefined;

function mistakesOf({ error, wrong }: ProviderFieldsProps): MistakeOf {
  return (name) => fieldError(error, name) ?? wrong(name);
}

function TypeAndFormat(props: ProviderFieldsProps) {
  const { draft, onChange } = props;
  const mistake = mistakesOf(props);
  const field = fieldsOf(props, mistake);
  return (
    <>
      <SelectField
        label="Type"
        error={mistake('type')}
        value={draft.type}
        choices={PROVIDER_TYPES.map((type) => ({ value: type, label: vendorByType(type).title }))}
        onChange={(value) => onChange(withType(draft, value))}
      />
      {vendorByType(draft.type).upstreamFormat === null && (
        <SelectField
          label="Format"
          hint="The API format that the upstream speaks."
          {...field('upstreamFormat')}
          choices={vendorByType(draft.type).formats.map((format) => ({
            value: format,
            label: format,
          }))}
        />
      )}
    </>
  );
}

const STORED = 'Stored encrypted and never shown again. Add more keys on the provider’s page.';

function secretHint(type: ProviderType): string {
  const { cloud } = vendorByType(type);
  return cloud === null ? STORED : `${IDENTITY_HINTS[cloud]} ${STORED}`;
}

function KeyField(props: ProviderFieldsProps) {
  const { draft, known, onChange } = props;
  const mistake = mistakesOf(props);
  return (
    <TextField
      label={known ? 'Key to test with' : 'API key'}
      optional
      hint={
        known
          ? 'Used for the test only, not saved. Saved keys are never sent to an unsaved address. Manage keys on the provider’s page.'
          : secretHint(draft.type)
      }
      error={mistake('apiKey') ?? mistake('apiKeys')}
      value={draft.apiKey}
      onChange={(value) => onChange({ apiKey: value.trim() })}
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      maxLength={IDENTITY_CHARACTERS}
    />
  );
}

const TIMEOUTS = [
  { name: 'connectTimeoutMs', label: 'Connect' },
  { name: 'firstByteTimeoutMs', label: 'First byte' },
  { name: 'idleTimeoutMs', label: 'Idle, between two chunks' },
  { name: 'timeoutMs', label: 'Total' },
] as const;

/** Rarely changed settings. Opens when one has an error. */
function Advanced(props: ProviderFieldsProps) {
  const mistake = mistakesOf(props);
  const field = fieldsOf(props, mistake);
  const faulty = ['headers', ...TIMEOUTS.map(({ name }) => name)].some(
    (name) => mistake(name) !== undefined,
  );
  return (
    <details open={faulty || undefined}>
      <summary className="text-sm font-medium">Headers and timeouts</summary>
      <div className="mt-3 flex flex-col gap-4">
        <TextAreaField
          label="Headers"
          optional
          hint="Sent with every request, one “Name: value” per line. Do not put secrets here."
          {...field('headers')}
          rows={2}
          spellCheck={false}
          className="font-mono text-sm"
        />
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Timeouts in milliseconds</legend>
          <div className="grid gap-4 sm:grid-cols-2">
            {TIMEOUTS.map(({ name, label }) => (
              <NumberField key={name} label={label} {...field(name)} />
            ))}
          </div>
        </fieldset>
      </div>
    </details>
  );
}
