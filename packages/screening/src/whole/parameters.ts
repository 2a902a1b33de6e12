// Checks of a request's own parameters, in whatever format the client wrote them.

import type { ParameterCheck } from '@tollgate/contracts';

import { samePaths, snakeName } from './parameter-names';

export interface AskedParameters {
  /** As the client sent it. */
  readonly document: Readonly<Record<string, unknown>>;
  /** A model writes a text, so what is required must be there. */
  readonly generates: boolean;
}

/** A check that a request does not pass. */
export interface BrokenParameter {
  /** As the client wrote it. */
  readonly param: string;
  /** "must be at most 4000" */
  readonly must: string;
}

export type ParameterJudge = (asked: AskedParameters) => BrokenParameter | undefined;

interface Found {
  readonly param: string;
  readonly value: unknown;
}

/** Values that one check looks at; a document with more at one path does not pass. */
const MOST_FOUND = 10_000;

export function createParameterJudge(checks: readonly ParameterCheck[]): ParameterJudge {
  const prepared = checks.map((check) => ({
    check,
    paths: samePaths(check.name).map((path) => path.split('.')),
  }));
  return ({ document, generates }) => {
    for (const { check, paths } of prepared) {
      const broken = brokenBy(check, paths, document, generates);
      if (broken) return broken;
    }
    return undefined;
  };
}

function brokenBy(
  check: ParameterCheck,
  paths: readonly (readonly string[])[],
  document: AskedParameters['document'],
  generates: boolean,
): BrokenParameter | undefined {
  let sent = false;
  for (const path of paths) {
    const found: Found[] = [];
    collect(document, path, '', found);
    const [first] = found;
    if (!first) continue;
    sent = true;
    if (found.length > MOST_FOUND) return { param: first.param, must: 'must have fewer values' };
    const broken = brokenAt(check, found);
    if (broken) return broken;
  }
  const isMissing = check.presence === 'REQUIRED' && generates && !sent;
  return isMissing ? { param: check.name, must: 'must be sent' } : undefined;
}

function brokenAt(
  { maxItems, maximum, minimum, presence, values }: ParameterCheck,
  found: readonly Found[],
): BrokenParameter | undefined {
  const [first] = found;
  if (!first) return undefined;
  if (presence === 'FORBIDDEN') return { param: first.param, must: 'must not be sent' };
  const items = found.reduce((sum, { value }) => sum + itemsIn(value), 0);
  if (maxItems !== null && items > maxItems) {
    return { param: first.param, must: `must have at most ${maxItems} items` };
  }
  for (const { param, value } of found) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const must = mustOf(one, { maximum, minimum, values });
      if (must !== undefined) return { param, must };
    }
  }
  return undefined;
}

/** Adds what a path leads to. Null is as good as absent. */
function collect(value: unknown, path: readonly string[], param: string, found: Found[]): void {
  if (found.length > MOST_FOUND || value === null || value === undefined) return;
  const [name, ...rest] = path;
  if (name === undefined) {
    found.push({ param, value });
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, path, param, found);
    return;
  }
  if (!isRecord(value)) return;
  for (const [field, inner] of Object.entries(value)) {
    // Fields of forms may say that they are lists.
    const plain = field.endsWith('[]') ? field.slice(0, -2) : field;
    if (snakeName(plain) !== name) continue;
    collect(inner, rest, param === '' ? plain : `${param}.${plain}`, found);
  }
}

function itemsIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 1;
}

function mustOf(
  value: unknown,
  { maximum, minimum, values }: Pick<ParameterCheck, 'maximum' | 'minimum' | 'values'>,
): string | undefined {
  if (values !== null && !values.some((one) => isSame(one, value))) return valuesWords(values);
  if (minimum === null && maximum === null) return undefined;
  const number = numberIn(value);
  if (number === undefined) return 'must be a number';
  if (minimum !== null && number < minimum) return `must be at least ${minimum}`;
  if (maximum !== null && number > maximum) return `must be at most ${maximum}`;
  return undefined;
}

/** Forms have texts only, and some providers take a text for the number that it shows. */
function isSame(allowed: string | number | boolean, value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean')
    return String(value) === String(allowed);
  const number = numberIn(value);
  return number !== undefined && number === Number(allowed) && String(allowed).trim() !== '';
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  // A number with more digits than a double holds.
  const text = isRecord(value) && isRawJson(value) ? value['rawJSON'] : value;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}

function isRawJson(value: unknown): boolean {
  const { isRawJSON } = JSON as { isRawJSON?: (given: unknown) => boolean };
  return isRawJSON?.(value) === true;
}

const MOST_NAMED = 10;

function valuesWords(values: NonNullable<ParameterCheck['values']>): string {
  const named = values.slice(0, MOST_NAMED).map((value) => JSON.stringify(value));
  const more = values.length > MOST_NAMED ? ` or ${values.length - MOST_NAMED} others` : '';
  return `must be one of ${named.join(', ')}${more}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
