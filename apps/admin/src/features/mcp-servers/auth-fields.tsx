'use client';

import { rest } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import type { AuthDraft } from './mcp-draft';

export const AUTH_WORDS: Readonly<Record<rest.McpAuthType, string>> = {
  NONE: 'None',
  BEARER: 'Bearer token',
  HEADER: 'A header',
  OAUTH_CLIENT_CREDENTIALS: 'OAuth client credentials',
};

const AUTH_HINTS: Readonly<Record<rest.McpAuthType, string>> = {
  NONE: 'The gateway sends no credentials. A stored secret is deleted.',
  BEARER: 'The gateway sends the token as Authorization: Bearer.',
  HEADER: 'The gateway sends the secret within a header of your choice.',
  OAUTH_CLIENT_CREDENTIALS:
    'The gateway requests access tokens with its own client id and secret, and renews them.',
};

interface AuthFieldsProps {
  readonly auth: AuthDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (auth: AuthDraft) => void;
}

/** How the gateway authenticates to the server. The secret is a field of its own. */
export function AuthFields({ auth, error, onChange }: AuthFieldsProps) {
  const field = fieldsOf(
    { draft: auth, error, onChange: (part) => onChange({ ...auth, ...part }) },
    (name) => fieldError(error, `auth.${name}`),
  );
  const whole = error?.details.find(({ path }) => path === 'auth')?.message;
  return (
    <>
      <SelectField
        label="Authentication"
        hint={AUTH_HINTS[auth.type]}
        {...field('type')}
        {...(whole === undefined ? {} : { error: whole })}
        choices={rest.MCP_AUTH_TYPES.map((type) => ({ value: type, label: AUTH_WORDS[type] }))}
      />
      {auth.type === 'HEADER' && (
        <>
          <TextField label="Header" {...field('header')} spellCheck={false} maxLength={100} />
          <TextField
            label="Value of the header"
            hint={`Contains ${rest.MCP_SECRET_PLACE} exactly once, where the secret goes.`}
            {...field('template')}
            spellCheck={false}
            maxLength={1000}
            className="font-mono text-sm"
          />
        </>
      )}
      {auth.type === 'OAUTH_CLIENT_CREDENTIALS' && (
        <>
          <TextField
            label="Token URL"
            {...field('tokenUrl')}
            type="url"
            spellCheck={false}
            maxLength={500}
          />
          <TextField label="Client id" {...field('clientId')} spellCheck={false} maxLength={500} />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Scope"
              optional
              hint="Several with one space between them."
              {...field('scope')}
              spellCheck={false}
              maxLength={1000}
            />
            <TextField
              label="Resource"
              optional
              hint="The address that the token is for (RFC 8707)."
              {...field('resource')}
              spellCheck={false}
              maxLength={500}
            />
          </div>
        </>
      )}
    </>
  );
}
