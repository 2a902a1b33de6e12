'use client';

import {
  MCP_TRANSPORTS,
  REGION_CHARACTERS,
  type McpTransport,
  type rest,
} from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { useScope } from '../../shell/scope';
import { AuthFields } from './auth-fields';
import { hasSecret, type McpDraft } from './mcp-draft';
import { PriceFields } from './tool-price-fields';

export const MCP_FIELDS = [
  'name',
  'identifier',
  'transport',
  'url',
  'command',
  'headers',
  'auth',
  'secret',
  'connectTimeoutMs',
  'idleTimeoutMs',
  'callPriceUsd',
  'toolPricesUsd',
  'region',
  'status',
];

export const TRANSPORT_WORDS: Readonly<Record<McpTransport, string>> = {
  STREAMABLE_HTTP: 'Streamable HTTP',
  SSE: 'HTTP with server-sent events (older)',
  STDIO: 'A command that the runner starts (stdio)',
};

interface McpFieldsProps {
  readonly draft: McpDraft;
  readonly error: ApiError | undefined;
  /** The current server; undefined for a new one. */
  readonly known: rest.McpServer | undefined;
  readonly onChange: (part: Partial<McpDraft>) => void;
}

export function McpFields(props: McpFieldsProps) {
  const { draft, error, known, onChange } = props;
  const field = fieldsOf(props);
  const command = draft.transport === 'STDIO';
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {known === undefined && <Kind {...props} />}
      {command ? (
        <Command {...props} />
      ) : (
        <>
          <TextField label="URL" {...field('url')} type="url" spellCheck={false} maxLength={500} />
          <AuthFields
            auth={draft.auth}
            error={error}
            onChange={(auth) => onChange({ auth, ...(auth.type === 'NONE' ? { secret: '' } : {}) })}
          />
        </>
      )}
      {hasSecret(draft) && <Secret {...props} />}
      <TextField
        label="Region"
        optional
        hint="Where the server processes requests, by your organisation’s own name, for example eu. Without one, keys with allowed regions do not use it."
        {...fieldsOf(props)('region')}
        spellCheck={false}
        maxLength={REGION_CHARACTERS}
      />
      <PriceFields {...props} />
      <Advanced {...props} />
      <Switch
        label="Active"
        checked={draft.status === 'ACTIVE'}
        onChange={(active) => onChange({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
    </>
  );
}

/** Fields that cannot be changed later. */
function Kind(props: McpFieldsProps) {
  const { me } = useScope();
  const field = fieldsOf(props);
  // A command runs on the operator's machine, so only super admins may name one.
  const transports = MCP_TRANSPORTS.filter(
    (transport) => transport !== 'STDIO' || me.role === 'SUPER_ADMIN',
  );
  return (
    <>
      <TextField
        label="Identifier"
        hint="Clients connect to /v1/mcp/ followed by it. Cannot be changed later. Lower-case letters, digits and hyphens."
        {...field('identifier')}
        spellCheck={false}
        maxLength={63}
      />
      <SelectField
        label="Transport"
        {...field('transport')}
        choices={transports.map((transport) => ({
          value: transport,
          label: TRANSPORT_WORDS[transport],
        }))}
      />
    </>
  );
}

function Command(props: McpFieldsProps) {
  const { me } = useScope();
  const field = fieldsOf(props);
  const may = me.role === 'SUPER_ADMIN';
  return (
    <TextField
      label="Command"
      hint={
        may
          ? 'The name of a command in the runner’s own file. The operator of the gateway writes that file.'
          : 'Only administrators of the platform may change it.'
      }
      {...field('command')}
      disabled={!may}
      spellCheck={false}
      maxLength={63}
      className="font-mono"
    />
  );
}

const SECRET_LABELS: Readonly<Record<rest.McpAuthType, string>> = {
  NONE: 'Secret',
  BEARER: 'Token',
  HEADER: 'Secret',
  OAUTH_CLIENT_CREDENTIALS: 'Client secret',
};

function Secret({ draft, error, known, onChange }: McpFieldsProps) {
  const command = draft.transport === 'STDIO';
  const label = command ? 'Secret' : SECRET_LABELS[draft.auth.type];
  const preview = known?.secretPreview ?? null;
  const stored = command
    ? 'The command gets it in its environment. Stored encrypted and never shown again.'
    : 'Stored encrypted and never shown again.';
  return (
    <>
      <TextField
        label={preview === null ? label : `New ${label.toLowerCase()}`}
        optional={command || preview !== null}
        hint={
          preview === null
            ? stored
            : `Leave empty to keep the current one, which ends in ${preview}.`
        }
        error={fieldError(error, 'secret')}
        value={draft.secret}
        onChange={(value) => onChange({ secret: value.trim() })}
        type="password"
        disabled={draft.noSecret}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={2000}
      />
      {command && preview !== null && (
        <Switch
          label="Remove the secret"
          checked={draft.noSecret}
          onChange={(noSecret) => onChange({ noSecret, secret: '' })}
        />
      )}
    </>
  );
}

/** Rarely changed settings. Opens when one has an error. */
function Advanced(props: McpFieldsProps) {
  const field = fieldsOf(props);
  const { draft, error } = props;
  const faulty = ['headers', 'connectTimeoutMs', 'idleTimeoutMs'].some(
    (name) => fieldError(error, name) !== undefined,
  );
  const web = draft.transport !== 'STDIO';
  return (
    <details open={faulty || undefined}>
      <summary className="text-sm font-medium">{web ? 'Headers and timeouts' : 'Timeouts'}</summary>
      <div className="mt-3 flex flex-col gap-4">
        {web && (
          <TextAreaField
            label="Headers"
            optional
            hint="Sent with every request, one “Name: value” per line. Do not put secrets here."
            {...field('headers')}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
          />
        )}
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Timeouts in milliseconds</legend>
          <div className="grid gap-4 sm:grid-cols-2">
            <NumberField label="Connect" {...field('connectTimeoutMs')} />
            <NumberField
              label="Idle"
              hint="The longest silence of the server while a request waits for it."
              {...field('idleTimeoutMs')}
            />
          </div>
        </fieldset>
      </div>
    </details>
  );
}
