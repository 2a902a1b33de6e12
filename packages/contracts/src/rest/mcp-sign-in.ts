import { z } from 'zod';

import { endpoint } from './endpoint';
import { id, instant } from './fields';

/**
 * Sign-in of web clients to MCP servers: access tokens of the organisation's own identity provider stand
 * for API keys.
 */

/** The most rules of one organisation. */
export const MCP_SIGN_IN_MAX_RULES = 500;

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/;
const printable = /^[\x21-\x7e]+$/;

const issuer = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine(
    (value) => value.startsWith('https://') || LOOPBACK.test(value),
    'must begin with https:// unless it is on loopback',
  )
  .refine((value) => !/[?#]/.test(value), 'has neither a query nor a fragment');

const rule = z
  .strictObject({
    claim: z
      .string()
      .min(1)
      .max(200)
      .regex(printable, 'printable ASCII without spaces')
      .default('sub')
      .meta({ description: 'A claim of the token, or a path as a.b.' }),
    value: z.string().min(1).max(500).meta({
      description:
        'The whole value, or one of the values of a list. * stands for any. An email counts only with email_verified.',
    }),
    apiKeyId: id,
  })
  .meta({ id: 'McpSignInRule' });

const fields = {
  issuer,
  audiences: z.array(z.string().min(1).max(500).regex(printable)).max(8).default([]).meta({
    description: 'Audiences that tokens may be for, beside the address of the server itself.',
  }),
  scopes: z.array(z.string().min(1).max(200).regex(printable)).max(16).default([]).meta({
    description: 'Scopes that a token needs.',
  }),
  rules: z
    .array(rule)
    .max(MCP_SIGN_IN_MAX_RULES)
    .meta({ description: 'The first rule that a token matches names its API key.' }),
};

export const mcpSignIn = z
  .object({
    issuer: z.string().nullable().meta({ description: 'Null: tokens are not accepted.' }),
    audiences: z.array(z.string()),
    scopes: z.array(z.string()),
    rules: z.array(rule),
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'McpSignIn' });
export type McpSignIn = z.output<typeof mcpSignIn>;

export const mcpSignInPut = z.strictObject(fields).meta({ id: 'McpSignInPut' });
export type McpSignInPut = z.output<typeof mcpSignInPut>;

const path = '/api/organisations/:organisationId/mcp-sign-in';
const tag = 'MCP servers';

export const getMcpSignIn = endpoint({
  id: 'getMcpSignIn',
  tag,
  summary: 'How tokens of the identity provider stand for API keys at MCP servers',
  method: 'GET',
  path,
  access: 'organisation.update',
  response: mcpSignIn,
  etag: true,
});

export const setMcpSignIn = endpoint({
  id: 'setMcpSignIn',
  tag,
  summary: 'Accept tokens of an identity provider at MCP servers',
  method: 'PUT',
  path,
  access: 'organisation.update',
  body: mcpSignInPut,
  response: mcpSignIn,
  etag: true,
});

export const deleteMcpSignIn = endpoint({
  id: 'deleteMcpSignIn',
  tag,
  summary: 'Accept no tokens any more at MCP servers',
  method: 'DELETE',
  path,
  access: 'organisation.update',
});
