import {
  isValueCounter,
  QUOTA_METRICS,
  SCOPE_TYPES,
  type LimitScope,
  type QuotaMetric,
} from '@tollgate/contracts';

import { amountText } from './calls';
import type { CloseCounter, Dimensions, UsageVector } from './items';
import type { BrokenEntry, LedgerEntry } from './records';
import { asFields, asNumber, asRow, asText, field } from './replies';

// Encoding of a ledger entry in the stream, and its decoding. Amounts and ids are joined by spaces
// into one field each, in the order of the contracts' tables: twenty separate fields would cost the
// script more than the rest of its work.
//   r request · m mode · l late · at authorised · ct closed · u usage · d dimensions
//   c windowed counters (id start end amount, …) · x one digit per counter: 1 = charged · p payload

/** Stands for "none": an empty word would be lost between two spaces. */
const NONE = '-';

export const usageText = (usage: UsageVector): string =>
  QUOTA_METRICS.map((metric) => amountText(usage[metric])).join(' ');

// Without an MCP server the last place is left out, as in entries of earlier releases: replicas of both
// releases read them while one replaces the other.
export const dimensionsText = (dimensions: Dimensions): string =>
  SCOPE_TYPES.filter((scope) => scope !== 'MCP_SERVER' || dimensions.MCP_SERVER !== '')
    .map((scope) => word(dimensions[scope]))
    .join(' ');

const isWindowed = ({ kind }: CloseCounter): boolean => kind === 'WINDOW' || kind === 'POST_PAID';

export const touchedText = (counters: readonly CloseCounter[]): string =>
  counters
    .filter(isWindowed)
    .map((c) => `${word(c.limitId)} ${c.windowStartMs} ${c.windowEndMs} ${amountText(c.spent)}`)
    .join(',');

/**
 * What `touchedText` and the digits of a close make in the stream, without the stream. Counters of values are in it
 * even if they were not charged here: the books know them from entries only.
 */
export function touchedBy(
  counters: readonly CloseCounter[],
  charged: string,
): LedgerEntry['touched'] {
  const windowed = counters.filter(isWindowed);
  if (windowed.length !== charged.length) throw new TypeError(DIGITS_DIFFER);
  return windowed
    .filter(({ limitId }, i) => charged[i] === '1' || isValueCounter(limitId))
    .map(({ limitId, windowStartMs, windowEndMs, spent }) => ({
      limitId,
      windowStartMs,
      windowEndMs,
      amount: spent,
    }));
}

const DIGITS_DIFFER = 'the numbers of counters and of charged digits differ';

/** Lua counts from one. */
export const metricPlace = (metric: QuotaMetric): string =>
  String(QUOTA_METRICS.indexOf(metric) + 1);
/** 0: entries have no such dimension. They name counters of values themselves. */
export const scopePlace = (scope: LimitScope): string =>
  String(SCOPE_TYPES.findIndex((type) => type === scope) + 1);

export function word(text: string): string {
  if (/[\s,]/.test(text)) throw new RangeError(`an id can't hold spaces or commas: ${text}`);
  return text === '' ? NONE : text;
}

/** Decodes an XRANGE entry. An unreadable entry is a value, not an error. */
export function readEntry(value: unknown): LedgerEntry | BrokenEntry {
  const [id, flat] = asRow(value);
  const seq = asNumber(asText(id).split('-', 1)[0]);
  try {
    return parseEntry(seq, asFields(flat));
  } catch (error) {
    return { seq, problem: String(error), raw: JSON.stringify(flat) };
  }
}

function parseEntry(seq: number, fields: ReadonlyMap<string, string>): LedgerEntry {
  const mode = field(fields, 'm');
  if (mode !== 'SETTLED' && mode !== 'CANCELLED' && mode !== 'ABANDONED') {
    throw new TypeError(`the mode ${mode} is not known`);
  }
  return {
    seq,
    requestId: field(fields, 'r'),
    mode,
    late: field(fields, 'l') === '1',
    authorisedAtMs: asNumber(field(fields, 'at')),
    closedAtMs: asNumber(field(fields, 'ct')),
    usage: byName(QUOTA_METRICS, words(field(fields, 'u')).map(BigInt)),
    dimensions: dimensionsOf(words(field(fields, 'd'))),
    touched: touchedOf(field(fields, 'c'), field(fields, 'x')),
    payload: field(fields, 'p'),
  };
}

function dimensionsOf(ids: readonly string[]): Dimensions {
  const all = ids.length === SCOPE_TYPES.length ? ids : [...ids, NONE];
  return byName(
    SCOPE_TYPES,
    all.map((id) => (id === NONE ? '' : id)),
  );
}

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

function byName<Name extends string, Value>(names: readonly Name[], values: Value[]) {
  if (values.length !== names.length) throw new TypeError(`${names.length} values were expected`);
  return Object.fromEntries(names.map((name, i) => [name, values[i]])) as Record<Name, Value>;
}

function touchedOf(text: string, charged: string): LedgerEntry['touched'] {
  const counters = text === '' ? [] : text.split(',');
  if (charged.length !== counters.length) throw new TypeError(DIGITS_DIFFER);
  return counters
    .filter((counter, i) => charged[i] === '1' || isValueCounter(counter))
    .map((counter) => {
      const [limitId, start, end, amount] = counter.split(' ');
      return {
        limitId: asText(limitId),
        windowStartMs: asNumber(start),
        windowEndMs: asNumber(end),
        amount: BigInt(asText(amount)),
      };
    });
}
