import type { IncomingMessage } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';

import type { KeyPlace } from '../routes';

/** All keys are shorter than this limit. */
const KEY_SHAPE = /^[\x21-\x7e]{1,256}$/;

/**
 * Returns the hash of the caller's key. The key itself does not leave this file.
 * @throws GatewayError `missing_api_key`, `invalid_api_key`
 */
export function readKey(req: IncomingMessage, places: readonly KeyPlace[]): Buffer {
  for (const place of places) {
    const text = textAt(req, place);
    if (text === undefined || text === '') continue;
    if (!KEY_SHAPE.test(text)) throw gatewayError('invalid_api_key');
    return hashApiKey(text);
  }
  throw gatewayError('missing_api_key');
}

function textAt(req: IncomingMessage, place: KeyPlace): string | undefined {
  if ('bearer' in place) return bearer(req.headers.authorization);
  if ('header' in place) {
    const value = req.headers[place.header];
    return Array.isArray(value) ? value[0] : value;
  }
  const url = req.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get(place.query) ?? '');
}

function bearer(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  const key = bearerOf(header);
  if (key === undefined) throw gatewayError('invalid_api_key');
  return key;
}

/** Undefined: the `authorization` header is absent or of another scheme. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^bearer (.*)$/i.exec(header ?? '')?.[1]?.trim();
}
