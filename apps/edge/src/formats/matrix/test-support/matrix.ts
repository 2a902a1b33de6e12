// The building blocks of the parameter tables. A row is a sample of one parameter in a client's
// format, and its outcome at each upstream: sent, reported as dropped, or refused.

import type { FormatName, TargetContext } from '../..';
import type { JsonObject } from '../../normalised';

/** The upstreams: the vendors, and a compatible server of the chat format. */
export const TARGETS = {
  chat: {
    format: 'openai-chat',
    context: { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false },
  },
  server: {
    format: 'openai-chat',
    context: { providerType: 'PROVIDER_D', model: 'llama', strict: false },
  },
  responses: {
    format: 'openai-responses',
    context: { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false },
  },
  messages: {
    format: 'anthropic-messages',
    context: { providerType: 'PROVIDER_B', model: 'claude-opus-4-6', strict: false },
  },
  gemini: {
    format: 'gemini-generate',
    context: { providerType: 'PROVIDER_C', model: 'gemini-3-flash', strict: false },
  },
} as const satisfies Record<string, { format: FormatName; context: TargetContext }>;
export type TargetName = keyof typeof TARGETS;

/** JSON pointers into the upstream's body with the expected values; `undefined` means absent. */
export type Places = Readonly<Record<string, unknown>>;

export type Cell =
  /** Sent at these places and no others; `dropped` lists the parts that are not sent. */
  | { fate: 'honoured'; at: Places; dropped: readonly string[] }
  /** Left out, and reported to the client in its own spelling. */
  | { fate: 'declared'; dropped: readonly string[] }
  /** Never dropped, because the answer would be one to a different question. */
  | { fate: 'refused'; param: string }
  /** Left out: it is the upstream's default, or a label that no answer depends on. */
  | { fate: 'anyway' }
  /** The client's own format: passed on unchanged. */
  | { fate: 'verbatim' };

export const ANYWAY: Cell = { fate: 'anyway' };
export const VERBATIM: Cell = { fate: 'verbatim' };

export function declared(...dropped: string[]): Cell {
  return { fate: 'declared', dropped };
}

export function honoured(at: Places, ...dropped: string[]): Cell {
  return { fate: 'honoured', at, dropped };
}

export function refused(param: string): Cell {
  return { fate: 'refused', param };
}

export type Cells = Readonly<Partial<Record<TargetName, Cell>>>;

export interface Row {
  sample: JsonObject;
  cells: Cells;
  /** Fields that the sample needs to be valid; the request it is compared with has them too. */
  required: JsonObject;
}

/**
 * `CLIENT_ONLY`: a setting of the vendor's library, which is never on the wire. `OTHER_ROWS`: other
 * rows or tables of the client cover it.
 */
export type Rows = Row | readonly [Row, ...Row[]] | 'CLIENT_ONLY' | 'OTHER_ROWS';
export type Table = Readonly<Record<string, Rows>>;

/** The same outcome at every upstream, or at every upstream of another format. */
export function everywhere(cell: Cell): Record<TargetName, Cell> {
  return { chat: cell, server: cell, responses: cell, messages: cell, gemini: cell };
}

/** A row of a client's table: `row(sample, required)(cells)`, typed by the client's request. */
export function rowOf<Request extends object, Needed extends TargetName>() {
  return (sample: Request, required?: Request) =>
    (cells: Cells & Record<Needed, Cell>): Row => ({
      sample: fields(sample),
      cells,
      required: fields(required ?? {}),
    });
}

function fields(value: object): JsonObject {
  return { ...value };
}

/** The kinds of a union discriminated by `type`. */
export type KindOf<T> = T extends { type?: infer K } ? Extract<K, string> : never;

/**
 * The differences of two bodies by JSON pointer, with the second body's values. Lists of equal
 * length, and lists of which one extends the other, are compared item by item; other lists as a
 * whole.
 */
export function differences(one: unknown, other: unknown, path = ''): Record<string, unknown> {
  if (JSON.stringify(one) === JSON.stringify(other)) return {};
  const lists = Array.isArray(one) && Array.isArray(other);
  if (!(lists ? goesOn(one, other) : isRecord(one) && isRecord(other))) return { [path]: other };
  const before = one as JsonObject;
  const after = other as JsonObject;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.assign(
    {},
    ...[...keys].map((key) => differences(before[key], after[key], `${path}/${key}`)),
  ) as Record<string, unknown>;
}

function goesOn(one: readonly unknown[], other: readonly unknown[]): boolean {
  const shared = Math.min(one.length, other.length);
  const begins = JSON.stringify(one.slice(0, shared)) === JSON.stringify(other.slice(0, shared));
  return one.length === other.length || begins;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
