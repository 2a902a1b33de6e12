import { isDeepStrictEqual } from 'node:util';

/** One change of one object, written to the audit trail and announced to the data plane. */
export interface Change {
  /** `<resource>.<verb>`, for example `apikey.revoke`. */
  readonly action: string;
  /** Null for changes of the whole installation. */
  readonly organisationId: string | null;
  readonly target: { readonly type: string; readonly id: string | null };
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
  /** What the data plane must hear; absent when it never reads such an object. */
  readonly news?: readonly News[] | undefined;
}

export type NewsKind =
  | 'ORGANISATION'
  | 'USER'
  | 'TEAM'
  | 'API_KEY'
  | 'MODEL'
  | 'MODEL_ALIAS'
  | 'EXPERIMENT'
  | 'PROVIDER'
  | 'ROUTING_POLICY'
  | 'SCREENING_POLICY'
  | 'LIMIT'
  | 'LEDGER';

export interface News {
  readonly kind: NewsKind;
  readonly organisationId: string;
  /** Set when the change concerns one key only. */
  readonly keySha256?: Buffer | undefined;
  /** Limits whose counters must be forgotten. */
  readonly limitIds?: readonly string[] | undefined;
  /** The shard's revision after a correction of booked usage. */
  readonly rev?: bigint | undefined;
}

const SECRET = /password|secret|token$|sha256|^key$|^apiKey$|ciphertext/i;
/** Headers sent upstream and arguments of commands may hold a secret under any name. */
const OPAQUE = /^(?:headers|args)$/;
const REDACTED = '[redacted]';

/**
 * The fields that differ between two states, without secrets; the whole state when there is only
 * one.
 */
export function differenceOf(change: Change): {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
} {
  const { before, after } = change;
  if (before === undefined || after === undefined) {
    return { before: redacted(before), after: redacted(after) };
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== 'updatedAt' && !isDeepStrictEqual(before[name], after[name]),
  );
  const pick = (state: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: redacted(pick(before)), after: redacted(pick(after)) };
}

function redacted(
  state: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | null {
  return state === undefined ? null : (redactValue(state) as Record<string, unknown>);
}

function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET.test(name) && item !== null
        ? REDACTED
        : OPAQUE.test(name)
          ? opaque(item)
          : redactValue(item),
    ]),
  );
}

/** Keeps the names, or the number of items, and redacts the values. */
function opaque(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(() => REDACTED);
  return Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED]));
}
