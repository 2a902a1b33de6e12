import { types } from 'node:util';

// Makes a value safe to log: fields named like secrets lose their value, errors become plain
// objects with stack and cause, and depth, length and width are bounded.
// objects with stack and cause, and nothing is deeper, longer or wider than the limits below.

const REDACTED = '[redacted]';
const MAX_DEPTH = 4;
const MAX_ITEMS = 100;
const MAX_TEXT = 8192;
const MAX_NAMES = 2000;

// A field is secret when one of its words is in the first list or its last word is in the second:
// `apiKey` and `api_key` are, `apiKeyId` and `inputTokens` are not.
const SECRET_ANYWHERE = new Set([
  'authorization',
  'cookie',
  'cookies',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'secret',
  'secrets',
]);
const SECRET_LAST = new Set(['apikey', 'apikeys', 'key', 'keys', 'token']);

const secretNames = new Map<string, boolean>();

export function redact(value: unknown): unknown {
  return clean(value, 1);
}

/** The fields of one log line; like redact, but the top object is not a level. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    cleaned[name] = isSecretName(name) && value !== undefined ? REDACTED : clean(value, 1);
  }
  return cleaned;
}

export function isSecretName(name: string): boolean {
  const known = secretNames.get(name);
  if (known !== undefined) return known;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const secret =
    words.some((word) => SECRET_ANYWHERE.has(word)) || SECRET_LAST.has(words.at(-1) ?? '');
  // Names come from our own code, but a map logged by its keys must not grow this cache without
  // bound.
  if (secretNames.size < MAX_NAMES) secretNames.set(name, secret);
  return secret;
}

function clean(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : cleanObject(value, depth);
    default:
      return value;
  }
}

function cleanObject(value: object, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof URL) return cleanText(value.href);
  if (depth > MAX_DEPTH) return '[deeper]';
  if (value instanceof Error || types.isNativeError(value)) return cleanError(value, depth);
  if (Array.isArray(value)) return cleanItems(value, depth);
  if (value instanceof Set) return cleanItems([...value], depth);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return cleanEntries(entries, depth);
}

function cleanItems(items: readonly unknown[], depth: number): unknown[] {
  const cleaned = items.slice(0, MAX_ITEMS).map((item) => clean(item, depth + 1));
  if (items.length > MAX_ITEMS) cleaned.push(`[${items.length - MAX_ITEMS} more]`);
  return cleaned;
}

function cleanEntries(entries: readonly [unknown, unknown][], depth: number): object {
  const cleaned: Record<string, unknown> = {};
  for (const [key, value] of entries.slice(0, MAX_ITEMS)) {
    const name = String(key);
    cleaned[name] = isSecretName(name) && value !== undefined ? REDACTED : clean(value, depth + 1);
  }
  if (entries.length > MAX_ITEMS) cleaned['…'] = `[${entries.length - MAX_ITEMS} more]`;
  return cleaned;
}

// An error's own fields (code, status, details) are kept; message, stack and cause are not
// enumerable and would be lost in JSON.
function cleanError(error: Error, depth: number): object {
  return {
    ...cleanEntries(Object.entries(error), depth),
    name: error.name,
    message: cleanText(error.message),
    ...(error.stack === undefined ? {} : { stack: cleanText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: clean(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: cleanItems(error.errors, depth) } : {}),
  };
}

function cleanText(text: string): string {
  let cleaned = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}[cut]` : text;
  if (cleaned.includes('://')) {
    cleaned = cleaned.replace(/(:\/\/)[^\s/?#@]*@/g, `$1${REDACTED}@`);
  }
  if (/bearer|basic/i.test(cleaned)) {
    cleaned = cleaned.replace(/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`);
  }
  return cleaned;
}
