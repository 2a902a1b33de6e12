'use client';

import { MCP_TRANSPORTS, type McpTransport, type rest } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { useScope } from '../../shell/scope';
import type { McpDraft } from './mcp-draft';

export const MCP_FIELDS = [
  'name',
  'identifier',
  'transport',
  'url',
  'command',
  'args',
  'headers',
  'secret',
  'timeoutMs',
  'status',
];

export const TRANSPORT_WORDS: Readonly<Record<McpTransport, string>> = {
  STREAMABLE_HTTP: 'Streamable HTTP',
  SSE: 'Server-sent events',
  STDIO: 'A command that the gateway runs',
};

interface McpFieldsProps {
  readonly draft: McpDraft;
  readonly error: ApiError | undefined;
  /** The current server; undefined for a new one. */
  readonly known: rest.McpServer | undefined;
  readonly onChange: (part: Partial<McpDraft>) => void;
}

export function McpFields(props: McpFieldsProps) {
  const { draft, known, onChange } = props;
  const field = fieldsOf(props);
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {known === undefined && <Kind {...props} />}
      {draft.transport === 'STDIO' ? <Command {...props} /> : <Address {...props} />}
      <Secret {...props} />
      <NumberField label="Timeout, in milliseconds" {...field('timeoutMs')} />
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
  // A command runs on the gateway's machine, so only super admins may set one.
  const transports = MCP_TRANSPORTS.filter(
    (transport) => transport !== 'STDIO' || me.role === 'SUPER_ADMIN',
  );
  return (
    <>
      <TextField
        label="Identifier"
        hint="Used in URLs. Cannot be changed later. Lower-case letters, digits and hyphens."
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

function Address(props: McpFieldsProps) {
  const field = fieldsOf(props);
  return (
    <>
      <TextField label="URL" {...field('url')} type="url" spellCheck={false} maxLength={500} />
      <TextAreaField
        label="Headers"
        optional
        hint="Sent with every request, one “Name: value” per line. Do not put secrets here."
        {...field('headers')}
        rows={2}
        spellCheck={false}
        className="font-mono text-sm"
      />
    </>
  );
}

function Command(props: McpFieldsProps) {
  const field = fieldsOf(props);
  return (
    <>
      <TextField
        label="Command"
        hint="The gateway runs it with its own permissions."
        {...field('command')}
        spellCheck={false}
        maxLength={500}
        className="font-mono"
      />
      <TextAreaField
        label="Arguments"
        optional
        hint="One per line. Passed without a shell."
        {...field('args')}
        rows={3}
        spellCheck={false}
        className="font-mono text-sm"
      />
    </>
  );
}

function Secret({ draft, error, known, onChange }: McpFieldsProps) {
  const preview = known?.secretPreview ?? null;
  return (
    <>
      <TextField
        label={preview === null ? 'Secret' : 'New secret'}
        optional
        hint={
          preview === null
            ? 'Sent as a bearer token. Stored encrypted and never shown again.'
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
      {preview !== null && (
        <Switch
          label="Remove the secret"
          checked={draft.noSecret}
          onChange={(noSecret) => onChange({ noSecret, secret: '' })}
        />
      )}
    </>
  );
}
