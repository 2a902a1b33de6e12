import { z } from 'zod';

import { providerHeaders } from './providers';

/** How the gateway authenticates to an MCP server. The secret itself is a field of its own. */

export const MCP_AUTH_TYPES = ['NONE', 'BEARER', 'HEADER', 'OAUTH_CLIENT_CREDENTIALS'] as const;
export type McpAuthType = (typeof MCP_AUTH_TYPES)[number];

/** Headers of the transport and of the protocol, which the gateway sets for each request. */
const TRANSPORT_HEADERS =
  /^(mcp-.*|accept|accept-encoding|last-event-id|traceparent|tracestate|baggage|host|origin|cookie|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;

const notTransport = (value: string): boolean => !TRANSPORT_HEADERS.test(value);

export const mcpHeaders = providerHeaders.refine(
  (headers) => Object.keys(headers).every(notTransport),
  {
    error: 'headers of the transport and mcp-* are set by the gateway',
  },
);

/** Stands for the secret in the value of a header. */
export const MCP_SECRET_PLACE = '{{secret}}';

const visible = /^[\x21-\x7e]+$/;
const httpUrl = z.url({ protocol: /^https?$/ }).max(500);

export const mcpAuthNone = z.strictObject({ type: z.literal('NONE') });
export const mcpAuthBearer = z.strictObject({ type: z.literal('BEARER') });
export const mcpAuthHeader = z.strictObject({
  type: z.literal('HEADER'),
  header: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'not a header name')
    .refine(notTransport, 'this header is set by the gateway'),
  template: z
    .string()
    .max(1000)
    .regex(/^[\x20-\x7e]*$/, 'printable ASCII only')
    .refine(
      (value) => value.split(MCP_SECRET_PLACE).length === 2,
      `contains ${MCP_SECRET_PLACE} exactly once`,
    )
    .default(MCP_SECRET_PLACE)
    .meta({ description: 'Value of the header, such as `Basic {{secret}}`.' }),
});

export const mcpAuth = z
  .discriminatedUnion('type', [
    mcpAuthNone,
    mcpAuthBearer,
    mcpAuthHeader,
    z.strictObject({
      type: z.literal('OAUTH_CLIENT_CREDENTIALS'),
      tokenUrl: httpUrl,
      clientId: z.string().max(500).regex(visible, 'printable ASCII without spaces'),
      scope: z
        .string()
        .max(1000)
        .regex(
          /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/,
          'scopes, with one space between',
        )
        .nullable()
        .default(null),
      resource: z
        .url()
        .max(500)
        .refine((value) => !value.includes('#'), 'has no fragment')
        .nullable()
        .default(null)
        .meta({ description: 'RFC 8707: the address that the token is for. Null: none is sent.' }),
    }),
  ])
  .meta({
    id: 'McpAuth',
    description:
      'NONE: nothing is sent. BEARER: the secret as a bearer token. HEADER: the secret within a header. OAUTH_CLIENT_CREDENTIALS: a token that tokenUrl issues to the client; the secret is the client secret.',
  });
export type McpAuth = z.output<typeof mcpAuth>;
