// Removes a provider's secrets from whatever it echoes: its keys, and the values of its configured
// headers.

import type { UpstreamHeaders } from '../formats';
import type { Connection } from './connections';

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** This much of a secret's start identifies it; the rest of the match is removed too. */
const PREFIX_CHARACTERS = 8;
/** A shorter value is not treated as a secret, since it would match ordinary words. */
const SECRET_CHARACTERS = 4;
const REDACTED = '[redacted]';

/**
 * Finds each secret, whole or from its start: plain, percent-encoded, in JSON and in Base64, in
 * upper and lower case. A secret of fewer than eight characters is only found whole.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(formsOf).map(lowerAscii))];
  const heads = byHead(forms.filter(({ length }) => length >= SECRET_CHARACTERS));
  return (text) => {
    let out = text;
    let lower = lowerAscii(text);
    for (const [head, sharing] of heads) {
      for (let at = lower.indexOf(head); at >= 0; at = lower.indexOf(head, at + REDACTED.length)) {
        const end = at + Math.max(...sharing.map((form) => matching(lower, at, form)));
        out = out.slice(0, at) + REDACTED + out.slice(end);
        lower = lower.slice(0, at) + REDACTED + lower.slice(end);
      }
    }
    return out;
  };
}

/**
 * The secrets by the start that identifies them. Keys of one vendor, and tokens of one server, start
 * alike: what follows must be compared with all of them, or the rest of one is left when another is
 * removed. For the same reason longer starts come first.
 */
function byHead(forms: readonly string[]): [string, string[]][] {
  const heads = new Map<string, string[]>();
  for (const form of forms) {
    const head = form.slice(0, PREFIX_CHARACTERS);
    heads.set(head, [...(heads.get(head) ?? []), form]);
  }
  return [...heads].toSorted(([a], [b]) => b.length - a.length);
}

/** The secrets that a redactor was made for, by the identities that they are of. */
interface Prepared {
  redact: Redact;
  of: readonly (readonly string[] | undefined)[];
}

const prepared = new WeakMap<Connection, Prepared>();

/** The redactor for one connection's secrets. It is made anew when an identity has another token. */
export function redactOf(connection: Connection): Redact {
  const made = prepared.get(connection);
  const { identities } = connection;
  if (made && identities.every((identity, at) => identity?.secrets() === made.of[at])) {
    return made.redact;
  }
  const of = identities.map((identity) => identity?.secrets());
  const redact = createRedact(secretsOf(connection));
  prepared.set(connection, { redact, of });
  return redact;
}

function secretsOf(connection: Connection): string[] {
  return [...keyValues(connection), ...Object.values(connection.headers).flatMap(valuesIn)];
}

type WithKeys = Pick<Connection, 'secrets'> & Partial<Pick<Connection, 'identities'>>;

/** Keys as they are sent; of an identity the parts and tokens that are secret. */
function keyValues({ identities = [], secrets }: WithKeys): readonly string[] {
  return secrets.flatMap(({ value }, at) => identities[at]?.secrets() ?? [value]);
}

/** A header value, and the part after a scheme such as `Bearer`. */
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

/**
 * Base64 depends on the offset modulo three: returns all three spellings, without the characters
 * shared with neighbours.
 */
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

/** Lowers ASCII letters only, because other letters may change their length. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Shorter keys could occur in an answer by chance. */
const MASKED_CHARACTERS = 16;

/** The keys that are overwritten in answers. */
export function maskedKeys(connection: WithKeys): Buffer[] {
  return keyValues(connection)
    .filter(({ length }) => length >= MASKED_CHARACTERS)
    .map((value) => Buffer.from(value));
}

/** Overwrites whole keys in an answer that is relayed unchanged. Modifies the given buffer. */
export function maskKeys(body: Buffer, connection: WithKeys): void {
  for (const key of maskedKeys(connection)) {
    for (let at = body.indexOf(key); at >= 0; at = body.indexOf(key, at + key.length)) {
      body.fill('*', at, at + key.length);
    }
  }
}

/** The same for an answer that the gateway has written. */
export function maskedText(body: string, connection: WithKeys): string {
  return maskedIn(body, keyValues(connection));
}

function maskedIn(body: string, values: readonly string[]): string {
  let text = body;
  for (const value of values) {
    if (value.length >= MASKED_CHARACTERS && text.includes(value)) {
      text = text.replaceAll(value, '*'.repeat(value.length));
    }
  }
  return text;
}

/** The same for the answer's headers, some of which are relayed. */
export function maskedHeaders(headers: UpstreamHeaders, connection: WithKeys): UpstreamHeaders {
  let masked = headers;
  const values = keyValues(connection);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    const text = maskedIn(value, values);
    if (text !== value) masked = { ...masked, [name]: text };
  }
  return masked;
}
