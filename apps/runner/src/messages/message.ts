// JSON-RPC messages as the runner reads them: what a message is, and what it belongs to. Everything
// else in a message passes unread.
import { z } from 'zod';

import { valueTexts } from './replace-values';

/** As its JSON text: the string "1" and the number 1 are different, and numbers keep every digit. */
export type RequestId = string;

export type Message =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly progressToken: RequestId | undefined;
      /** Present in every request since the revision 2026-07-28, and in none before. */
      readonly statelessVersion: string | undefined;
    }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly progressToken: RequestId | undefined;
      readonly subscriptionId: RequestId | undefined;
      readonly statelessVersion: string | undefined;
    }
  | {
      readonly kind: 'response';
      /** `null` if the server could not read the request. */
      readonly id: RequestId;
      readonly errorCode: number | undefined;
      /** Of the result of `initialize`. */
      readonly protocolVersion: string | undefined;
    };

export const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const idSchema = z.union([z.string(), z.number()]);
const metaSchema = z.object({
  progressToken: idSchema.optional(),
  [META_VERSION]: z.string().optional(),
  [META_SUBSCRIPTION]: idSchema.optional(),
});
const messageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: idSchema.nullish(),
  method: z.string().max(256).optional(),
  params: z.object({ progressToken: idSchema.optional(), _meta: metaSchema.optional() }).optional(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** Undefined: the text is not one JSON-RPC message. */
export function readMessage(text: string): Message | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = messageSchema.safeParse(parsed);
  if (data === undefined) return undefined;
  const { id, method, params, result, error } = data;
  // Only the text has all digits of a number that JavaScript cannot hold.
  const idOf = (path: readonly string[], value: string | number | null): RequestId =>
    typeof value === 'number' && !Number.isSafeInteger(value)
      ? (valueTexts(text, path).at(-1) ?? JSON.stringify(value))
      : JSON.stringify(value);
  const tokenOf = (path: readonly string[], value: string | number | undefined) =>
    value === undefined ? undefined : idOf(path, value);
  const answers = result !== undefined || error !== undefined;
  if (method === undefined) {
    if (!answers || id === undefined) return undefined;
    const version = result?.['protocolVersion'];
    const protocolVersion = typeof version === 'string' ? version : undefined;
    return { kind: 'response', id: idOf(['id'], id), errorCode: error?.code, protocolVersion };
  }
  if (answers || id === null) return undefined;
  const meta = params?._meta;
  const token = tokenOf(['params', '_meta', 'progressToken'], meta?.progressToken);
  const statelessVersion = meta?.[META_VERSION];
  if (id !== undefined) {
    return {
      kind: 'request',
      id: idOf(['id'], id),
      method,
      progressToken: token,
      statelessVersion,
    };
  }
  return {
    kind: 'notification',
    method,
    progressToken: tokenOf(['params', 'progressToken'], params?.progressToken),
    subscriptionId: tokenOf(['params', '_meta', META_SUBSCRIPTION], meta?.[META_SUBSCRIPTION]),
    statelessVersion,
  };
}

export function errorText(id: RequestId, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}

export function cancelText(requestId: RequestId): string {
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${requestId}}}`;
}
