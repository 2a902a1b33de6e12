'use client';

import {
  isOneOf,
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  vendorByType,
  type ProviderType,
} from '@tollgate/contracts';
import type { ApiError } from '../../api/rest-client';
import { Field, Select, TextArea, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
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
  const mistake = (field: string): string | undefined => fieldError(error, field) ?? wrong(field);
  return (
    <>
      <Field label="Name" error={mistake('name')}>
        {(field) => (
          <TextInput
            {...field}
            value={draft.name}
            onChange={(event) => onChange({ name: event.target.value })}
            autoComplete="off"
            maxLength={200}
            autoFocus
          />
        )}
      </Field>
      {!known && (
        <Field label="Type" error={mistake('type')}>
          {(field) => (
            <Select
              {...field}
              value={draft.type}
              onChange={({ target }) => {
                if (isOneOf(PROVIDER_TYPES, target.value)) onChange(withType(draft, target.value));
              }}
            >
              {PROVIDER_TYPES.map((type) => (
                <option key={type} value={type}>
                  {vendorByType(type).title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {!known && vendorByType(draft.type).upstreamFormat === null && (
        <Field
          label="Format"
          hint="Whose requests and answers it speaks."
          error={mistake('upstreamFormat')}
        >
          {(field) => (
            <Select
              {...field}
              value={draft.upstreamFormat}
              onChange={({ target }) => {
                if (isOneOf(UPSTREAM_FORMATS, target.value)) {
                  onChange({ upstreamFormat: target.value });
                }
              }}
            >
              {UPSTREAM_FORMATS.map((format) => (
                <option key={format} value={format}>
                  {format}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label="Base URL" hint={URL_HINTS[draft.type]} error={mistake('baseUrl')}>
        {(field) => (
          <TextInput
            {...field}
            type="url"
            value={draft.baseUrl}
            onChange={({ target: { value } }) =>
              onChange({ baseUrl: value, baseUrlTyped: value !== '' })
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
          />
        )}
      </Field>
      {takesApiVersion(draft.type) && (
        <Field
          label="API version"
          optional
          hint="Sent as api-version, such as 2024-10-21."
          error={mistake('apiVersion')}
        >
          {(field) => (
            <TextInput
              {...field}
              value={draft.apiVersion}
              onChange={(event) => onChange({ apiVersion: event.target.value })}
              autoComplete="off"
              spellCheck={false}
              maxLength={50}
            />
          )}
        </Field>
      )}
      <Field
        label={known ? 'Key to test with' : 'API key'}
        optional
        hint={
          known
            ? 'Used by the test and not saved: a saved key never goes to an address that is not. Keys are changed on the provider’s page.'
            : 'Sealed when it is saved, and never shown again. More keys are added on the provider’s page.'
        }
        error={mistake('apiKey') ?? mistake('apiKeys')}
      >
        {(field) => (
          <TextInput
            {...field}
            type="password"
            value={draft.apiKey}
            onChange={(event) => onChange({ apiKey: event.target.value.trim() })}
            autoComplete="new-password"
            spellCheck={false}
            maxLength={2000}
          />
        )}
      </Field>
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
function Advanced({ draft, error, wrong, onChange }: ProviderFieldsProps) {
  const mistake = (field: string): string | undefined => fieldError(error, field) ?? wrong(field);
  const faulty = ['headers', ...TIMEOUTS.map(({ name }) => name)].some(
    (name) => mistake(name) !== undefined,
  );
  return (
    <details open={faulty || undefined}>
      <summary className="text-sm font-medium">Headers and timeouts</summary>
      <div className="mt-3 flex flex-col gap-4">
        <Field
          label="Headers"
          optional
          hint="Sent with every request, one “Name: value” a line. They are no place for secrets."
          error={mistake('headers')}
        >
          {(field) => (
            <TextArea
              {...field}
              rows={2}
              value={draft.headers}
              onChange={(event) => onChange({ headers: event.target.value })}
              spellCheck={false}
              className="font-mono text-sm"
            />
          )}
        </Field>
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">
            How long is waited, in milliseconds
          </legend>
          <div className="grid gap-4 sm:grid-cols-2">
            {TIMEOUTS.map(({ name, label }) => (
              <Field key={name} label={label} error={mistake(name)}>
                {(field) => (
                  <TextInput
                    {...field}
                    value={draft[name]}
                    onChange={(event) => onChange({ [name]: event.target.value })}
                    inputMode="numeric"
                    autoComplete="off"
                  />
                )}
              </Field>
            ))}
          </div>
        </fieldset>
      </div>
    </details>
  );
}
