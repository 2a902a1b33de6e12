'use client';

import {
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  vendorByType,
  type ProviderType,
} from '@tollgate/contracts';
import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { mayHaveResponses, takesApiVersion, withType, type Draft } from './provider-draft';

export const PROVIDER_FORM_FIELDS = [
  'name',
  'type',
  'upstreamFormat',
  'baseUrl',
  'apiVersion',
  'nativeResponses',
  'apiKey',
  'headers',
  'timeoutMs',
  'connectTimeoutMs',
  'firstByteTimeoutMs',
  'idleTimeoutMs',
  'status',
];

type ProviderFieldsProps = {
  readonly draft: Draft;
  readonly error: ApiError | undefined;
  /** It is there already: its type stays, and its keys are changed on its page. */
  readonly known: boolean;
  /** What a test showed to be wrong with a field. */
  readonly wrong: (field: string) => string | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
};

const URL_HINTS: Partial<Record<ProviderType, string>> = {
  PROVIDER_D: 'Of the server, such as http://vllm.internal:8000/v1.',
  PROVIDER_F: 'Of the resource, such as https://my-resource.openai.azure.com.',
  CUSTOM: 'Below which the routes of its format are found.',
};

export function ProviderFields(props: ProviderFieldsProps) {
  const { draft, error, known, wrong, onChange } = props;
  const mistake = (name: string): string | undefined => fieldError(error, name) ?? wrong(name);
  const field = fieldsOf(props, mistake);
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {!known && (
        <SelectField
          label="Type"
          error={mistake('type')}
          value={draft.type}
          choices={PROVIDER_TYPES.map((type) => ({ value: type, label: vendorByType(type).title }))}
          onChange={(value) => onChange(withType(draft, value))}
        />
      )}
      {!known && vendorByType(draft.type).upstreamFormat === null && (
        <SelectField
          label="Format"
          hint="Whose requests and answers it speaks."
          {...field('upstreamFormat')}
          choices={UPSTREAM_FORMATS.map((format) => ({ value: format, label: format }))}
        />
      )}
      <TextField
        label="Base URL"
        hint={URL_HINTS[draft.type]}
        error={mistake('baseUrl')}
        value={draft.baseUrl}
        onChange={(value) => onChange({ baseUrl: value, baseUrlTyped: value !== '' })}
        type="url"
        spellCheck={false}
        maxLength={500}
      />
      {takesApiVersion(draft.type) && (
        <TextField
          label="API version"
          optional
          hint="Sent as api-version, such as 2024-10-21."
          {...field('apiVersion')}
          spellCheck={false}
          maxLength={50}
        />
      )}
      <TextField
        label={known ? 'Key to test with' : 'API key'}
        optional
        hint={
          known
            ? 'Used by the test and not saved: a saved key never goes to an address that is not. Keys are changed on the provider’s page.'
            : 'Sealed when it is saved, and never shown again. More keys are added on the provider’s page.'
        }
        error={mistake('apiKey') ?? mistake('apiKeys')}
        value={draft.apiKey}
        onChange={(value) => onChange({ apiKey: value.trim() })}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        maxLength={2000}
      />
      {mayHaveResponses(draft) && (
        <Switch
          label="Responses API"
          hint="It has /responses, keeps responses and conversations. While this is off, responses are translated to chat."
          checked={draft.nativeResponses}
          onChange={(nativeResponses) => onChange({ nativeResponses })}
        />
      )}
      <Advanced {...props} />
      <Switch
        label="Active"
        hint="While it is off, no request goes to its models."
        checked={draft.status === 'ACTIVE'}
        onChange={(active) => onChange({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
    </>
  );
}

const TIMEOUTS = [
  { name: 'connectTimeoutMs', label: 'To connect' },
  { name: 'firstByteTimeoutMs', label: 'To the first byte' },
  { name: 'idleTimeoutMs', label: 'Between two parts' },
  { name: 'timeoutMs', label: 'For everything' },
] as const;

/** What most providers leave as it is; open when something is wrong in it. */
function Advanced(props: ProviderFieldsProps) {
  const { error, wrong } = props;
  const mistake = (name: string): string | undefined => fieldError(error, name) ?? wrong(name);
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
          hint="Sent with every request, one “Name: value” a line. They are no place for secrets."
          {...field('headers')}
          rows={2}
          spellCheck={false}
          className="font-mono text-sm"
        />
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">
            How long is waited, in milliseconds
          </legend>
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
