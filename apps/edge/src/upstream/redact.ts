// A provider's secrets never leave, whatever the provider echoes: its keys, and the values of the
// headers that are configured for it.

import type { UpstreamHeaders } from '../formats';
import type { Connection } from './connections';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** So much of a secret's beginning gives it away: the rest of what matches goes with it. */
const PREFIX_CHARACTERS = 8;
/** A shorter value is no secret, and would be found in every word. */
const SECRET_CHARACTERS = 4;
const REDACTED = '[redacted]';

/**
 * Finds each secret whole or from its beginning on, as it is, percent-encoded, in JSON and in Base64,
 * in upper or lower case. One of fewer than eight characters is only found whole.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(formsOf).map(lowerAscii))];
  const heads = forms
    .filter(({ length }) => length >= SECRET_CHARACTERS)
    .map((form) => ({ form, head: form.slice(0, PREFIX_CHARACTERS) }));
  return (text) => {
    let out = text;
    let lower = lowerAscii(text);
    for (const { form, head } of heads) {
      for (let at = lower.indexOf(head); at >= 0; at = lower.indexOf(head, at + REDACTED.length)) {
        const end = at + matching(lower, at, form);
        out = out.slice(0, at) + REDACTED + out.slice(end);
        lower = lower.slice(0, at) + REDACTED + lower.slice(end);
      }
    }
    return out;
  };
}

const prepared = new WeakMap<Connection, Redact>();

/** Of one connection's secrets. */
export function redactOf(connection: Connection): Redact {
  let redact = prepared.get(connection);
  if (!redact) prepared.set(connection, (redact = createRedact(secretsOf(connection))));
  return redact;
}

function secretsOf({ headers, secrets }: Connection): string[] {
  return [...secrets.map(({ value }) => value), ...Object.values(headers).flatMap(valuesIn)];
}

/** A header's value, and what of it a scheme such as `Bearer` only stands before. */
function valuesIn(value: string): string[] {
  const parts = value.split(/\s+/).filter(({ length }) => length >= PREFIX_CHARACTERS);
  const basic = /^basic\s+(\S+)$/i.exec(value)?.[1];
  const password =
    basic && Buffer.from(basic, 'base64').toString('utf8').split(':').slice(1).join(':');
  return [value, ...parts, ...(password ? [password] : [])];
}

function formsOf(secret: string): string[] {
  const text = secret.toWellFormed();
  return [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), ...base64Of(text)];
}

/** In Base64 a text looks differently by where it begins: three ways, without the characters it shares. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = Math.floor((all.length * 8) / 6);
    const coded = all.toString('base64').slice(before === 0 ? 0 : before + 1, whole);
    if (coded.length < PREFIX_CHARACTERS) return [];
    return [coded, coded.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function matching(text: string, at: number, form: string): number {
  let length = 0;
  while (length < form.length && text.charCodeAt(at + length) === form.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

/** Keeps the length, which lower case of other letters does not. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Shorter ones may stand in any answer by chance, so that it would be changed for nothing. */
const MASKED_CHARACTERS = 16;

/** Overwrites whole keys in an answer that is passed on as it is. Changes the buffer it is given. */
export function maskKeys(body: Buffer, { secrets }: Pick<Connection, 'secrets'>): void {
  for (const { value } of secrets) {
    if (value.length < MASKED_CHARACTERS) continue;
    const key = Buffer.from(value);
    for (let at = body.indexOf(key); at >= 0; at = body.indexOf(key, at + key.length)) {
      body.fill('*', at, at + key.length);
    }
  }
}

/** The same for an answer that we have written. */
export function maskedText(body: string, { secrets }: Pick<Connection, 'secrets'>): string {
  let text = body;
  for (const { value } of secrets) {
    if (value.length >= MASKED_CHARACTERS && text.includes(value)) {
      text = text.replaceAll(value, '*'.repeat(value.length));
    }
  }
  return text;
}

/** The same for the headers of an answer, of which some are passed on. */
export function maskedHeaders(
  headers: UpstreamHeaders,
  connection: Pick<Connection, 'secrets'>,
): UpstreamHeaders {
  let masked = headers;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    const text = maskedText(value, connection);
    if (text !== value) masked = { ...masked, [name]: text };
  }
  return masked;
}
