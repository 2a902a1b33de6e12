'use client';

import { rest } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import type { DestinationDraft } from './destination-draft';
import { RECORD_WORDS, TARGET_WORDS } from './words';

export const DESTINATION_FIELDS = [
  'name',
  'target',
  'records',
  'maxRows',
  'intervalSeconds',
  'secret',
  'startFrom',
];

interface DestinationFieldsProps {
  readonly draft: DestinationDraft;
  readonly error: ApiError | undefined;
  /** The stored destination. */
  readonly known: rest.ExportDestination | undefined;
  readonly onChange: (part: Partial<DestinationDraft>) => void;
}

const TYPES = Object.keys(TARGET_WORDS) as DestinationDraft['type'][];

export function DestinationFields(props: DestinationFieldsProps) {
  const { known, draft } = props;
  const field = fieldsOf(props);
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {known === undefined && (
        <SelectField
          label="Deliver to"
          hint="Cannot be changed later."
          {...field('type')}
          choices={TYPES.map((value) => ({ value, label: TARGET_WORDS[value] }))}
        />
      )}
      {draft.type === 'WEBHOOK' ? <WebhookFields {...props} /> : <StorageFields {...props} />}
      <RecordFields {...props} />
      <BatchFields {...props} />
    </>
  );
}

const inTarget = (error: ApiError | undefined) => (name: string) =>
  fieldError(error, `target.${name}`);

function WebhookFields(props: DestinationFieldsProps) {
  const { known, error } = props;
  const field = fieldsOf(props, inTarget(error));
  return (
    <>
      <TextField
        label="URL"
        hint="Gets a signed POST with each batch."
        {...field('url')}
        type="url"
        spellCheck={false}
        maxLength={500}
      />
      <TextField
        label="Signing secret"
        optional
        hint={
          known === undefined
            ? 'Empty: one is generated and shown once.'
            : `Empty: ${known.secretPreview ?? 'the current one'} stays as it is.`
        }
        {...fieldsOf(props)('secret')}
        type="password"
        autoComplete="off"
        maxLength={200}
      />
    </>
  );
}

function StorageFields(props: DestinationFieldsProps) {
  const { known, error } = props;
  const field = fieldsOf(props, inTarget(error));
  const plain = { spellCheck: false };
  return (
    <>
      <TextField
        label="Endpoint"
        hint="Scheme and host, as https://s3.eu-central-1.amazonaws.com."
        {...field('endpoint')}
        type="url"
        {...plain}
        maxLength={300}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Bucket" {...field('bucket')} {...plain} maxLength={63} />
        <TextField
          label="Region"
          hint="Often auto or us-east-1."
          {...field('region')}
          {...plain}
          maxLength={50}
        />
        <TextField label="Prefix" optional {...field('prefix')} {...plain} maxLength={200} />
        <SelectField
          label="Bucket in"
          {...field('addressing')}
          choices={[
            { value: 'PATH', label: 'the path' },
            { value: 'VIRTUAL_HOST', label: 'the host name' },
          ]}
        />
        <TextField label="Access key id" {...field('accessKeyId')} {...plain} maxLength={200} />
        <TextField
          label="Secret access key"
          optional={known !== undefined}
          hint={
            known === undefined
              ? 'Stored encrypted and never shown again.'
              : `Empty: ${known.secretPreview ?? 'the current one'} stays as it is.`
          }
          {...fieldsOf(props)('secret')}
          type="password"
          autoComplete="off"
          maxLength={2000}
        />
      </div>
    </>
  );
}

function RecordFields({ draft, error, onChange }: DestinationFieldsProps) {
  const mistake = fieldError(error, 'records');
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">What is delivered</legend>
      {rest.EXPORT_RECORDS.map((record) => (
        <Switch
          key={record}
          label={RECORD_WORDS[record].label}
          hint={RECORD_WORDS[record].hint}
          checked={draft.records.includes(record)}
          onChange={(checked) =>
            onChange({
              records: checked
                ? [...draft.records, record]
                : draft.records.filter((other) => other !== record),
            })
          }
        />
      ))}
      {mistake !== undefined && <ErrorText>{mistake}</ErrorText>}
    </fieldset>
  );
}

function BatchFields(props: DestinationFieldsProps) {
  const { known, error, draft } = props;
  const field = fieldsOf(props);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <NumberField label="Most rows in a batch" {...field('maxRows')} />
      <NumberField
        label="Seconds to wait for more rows"
        optional={known === undefined}
        hint={draft.type === 'WEBHOOK' ? 'Empty: 5.' : 'Empty: 300.'}
        {...field('intervalSeconds')}
      />
      <SelectField
        label="Compression"
        {...fieldsOf(props, inTarget(error))('compression')}
        choices={[
          { value: 'GZIP', label: 'gzip' },
          { value: 'NONE', label: 'none' },
        ]}
      />
      {known === undefined && (
        <TextField
          label="Begin on"
          optional
          hint="Delivers what was recorded since this day (UTC) first. Empty: from now on."
          {...field('startFrom')}
          type="date"
        />
      )}
    </div>
  );
}
