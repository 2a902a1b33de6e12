'use client';

import { isOneOf, MCP_TRANSPORTS, type McpTransport, type rest } from '@tollgate/contracts';
import type { ApiError } from '../../api/rest-client';
import { Field, Select, TextArea, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
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

type McpFieldsProps = {
  readonly draft: McpDraft;
  readonly error: ApiError | undefined;
  /** The server as it is; undefined for a new one. */
  readonly known: rest.McpServer | undefined;
  readonly onChange: (part: Partial<McpDraft>) => void;
};

export function McpFields(props: McpFieldsProps) {
  const { draft, error, known, onChange } = props;
  return (
    <>
      <Field label="Name" error={fieldError(error, 'name')}>
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
      {known === undefined && <Kind {...props} />}
      {draft.transport === 'STDIO' ? <Command {...props} /> : <Address {...props} />}
      <Secret {...props} />
      <Field label="Timeout, in milliseconds" error={fieldError(error, 'timeoutMs')}>
        {(field) => (
          <TextInput
            {...field}
            value={draft.timeoutMs}
            onChange={(event) => onChange({ timeoutMs: event.target.value })}
            inputMode="numeric"
            autoComplete="off"
          />
        )}
      </Field>
      <Switch
        label="Active"
        checked={draft.status === 'ACTIVE'}
        onChange={(active) => onChange({ status: active ? 'ACTIVE' : 'DISABLED' })}
      />
    </>
  );
}

/** What never changes once it is there. */
function Kind({ draft, error, onChange }: McpFieldsProps) {
  const { me } = useScope();
  // A command runs on the gateway's machine: that is for who runs it.
  const transports = MCP_TRANSPORTS.filter(
    (transport) => transport !== 'STDIO' || me.role === 'SUPER_ADMIN',
  );
  return (
    <>
      <Field
        label="Identifier"
        hint="Names it in addresses and never changes: lower-case letters, digits and hyphens."
        error={fieldError(error, 'identifier')}
      >
        {(field) => (
          <TextInput
            {...field}
            value={draft.identifier}
            onChange={(event) => onChange({ identifier: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={63}
          />
        )}
      </Field>
      <Field label="Transport" error={fieldError(error, 'transport')}>
        {(field) => (
          <Select
            {...field}
            value={draft.transport}
            onChange={({ target }) => {
              if (isOneOf(transports, target.value)) onChange({ transport: target.value });
            }}
          >
            {transports.map((transport) => (
              <option key={transport} value={transport}>
                {TRANSPORT_WORDS[transport]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}

function Address({ draft, error, onChange }: McpFieldsProps) {
  return (
    <>
      <Field label="URL" error={fieldError(error, 'url')}>
        {(field) => (
          <TextInput
            {...field}
            type="url"
            value={draft.url}
            onChange={(event) => onChange({ url: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
          />
        )}
      </Field>
      <Field
        label="Headers"
        optional
        hint="Sent with every request, one “Name: value” a line. They are no place for secrets."
        error={fieldError(error, 'headers')}
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
    </>
  );
}

function Command({ draft, error, onChange }: McpFieldsProps) {
  return (
    <>
      <Field
        label="Command"
        hint="Run by the gateway, with the gateway’s rights."
        error={fieldError(error, 'command')}
      >
        {(field) => (
          <TextInput
            {...field}
            value={draft.command}
            onChange={(event) => onChange({ command: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            className="font-mono"
          />
        )}
      </Field>
      <Field
        label="Arguments"
        optional
        hint="One a line, as they are: no shell reads them."
        error={fieldError(error, 'args')}
      >
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            value={draft.args}
            onChange={(event) => onChange({ args: event.target.value })}
            spellCheck={false}
            className="font-mono text-sm"
          />
        )}
      </Field>
    </>
  );
}

function Secret({ draft, error, known, onChange }: McpFieldsProps) {
  const preview = known?.secretPreview ?? null;
  return (
    <>
      <Field
        label={preview === null ? 'Secret' : 'New secret'}
        optional
        hint={
          preview === null
            ? 'Sent as a bearer token. Sealed when it is saved, and never shown again.'
            : `Empty keeps the one that ends in ${preview}.`
        }
        error={fieldError(error, 'secret')}
      >
        {(field) => (
          <TextInput
            {...field}
            type="password"
            value={draft.secret}
            disabled={draft.noSecret}
            onChange={(event) => onChange({ secret: event.target.value.trim() })}
            autoComplete="new-password"
            spellCheck={false}
            maxLength={2000}
          />
        )}
      </Field>
      {preview !== null && (
        <Switch
          label="Take the secret away"
          checked={draft.noSecret}
          onChange={(noSecret) => onChange({ noSecret, secret: '' })}
        />
      )}
    </>
  );
}
