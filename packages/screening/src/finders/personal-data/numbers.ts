// Numbers of cards, phones and persons: runs of digits with single signs between them.

import { isAsciiWord, isDigit, type Hit } from '../../finder';
import { passesCpf, passesLuhn, passesNir } from './checksums';

/** A run begins with a digit, a plus or a bracket. Shorter runs are no number of a person. */
const RUN = /[+(]?\d[\d ().\-/]{5,60}\d/g;

export interface NumberKinds {
  readonly cards: boolean;
  readonly phones: boolean;
  readonly nationalIds: boolean;
}

export function findNumbers(text: string, kinds: NumberKinds, rule: number, found: Hit[]): void {
  RUN.lastIndex = 0;
  for (let run = RUN.exec(text); run; run = RUN.exec(text)) {
    const { 0: shown, index } = run;
    // Dates and amounts are shorter.
    if (digitsIn(shown) < (shown.charCodeAt(0) === PLUS ? LEAST_DIALLED : LEAST_DIGITS)) continue;
    if (index > 0 && continues(text.charCodeAt(index - 1))) continue;
    if (continuesAfter(text, index + shown.length)) continue;
    readRun(text, index, groupsOf(shown, index), kinds, rule, found);
  }
}

/** Of a number of a person, and of one with its country code. */
const LEAST_DIGITS = 9;
const LEAST_DIALLED = 8;

function digitsIn(run: string): number {
  let count = 0;
  for (let at = 0; at < run.length; at += 1) if (isDigit(run.charCodeAt(at))) count += 1;
  return count;
}

/** Where an unfinished number at the end begins; the text's length: there is none. */
export function openNumber(text: string): number {
  const least = Math.max(0, text.length - MOST_CHARACTERS);
  let start = text.length;
  let first = text.length;
  while (start > least) {
    const code = text.charCodeAt(start - 1);
    if (isDigit(code) || code === PLUS || code === BRACKET) first = start - 1;
    else if (!SIGNS.has(code)) break;
    start -= 1;
  }
  return first;
}

const MOST_CHARACTERS = 64;
const PLUS = 43;
const BRACKET = 40;
/** Space ) - . / */
const SIGNS = new Set([32, 41, 45, 46, 47]);

/** A number inside of a word, a decimal or an id is none of a person. */
function continues(code: number): boolean {
  return isAsciiWord(code) || code === 45 || code === 46 || code === 35 || code === 47;
}

function continuesAfter(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  if (Number.isNaN(code)) return false;
  if (isAsciiWord(code)) return true;
  // -, ., / and : continue an id, unless they end a sentence.
  const next = text.charCodeAt(end + 1);
  return (code === 45 || code === 46 || code === 47 || code === 58) && isAsciiWord(next);
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
  /** What is between the group before and this one. */
  readonly before: string;
}

function groupsOf(run: string, offset: number): Group[] {
  const groups: Group[] = [];
  let last = 0;
  for (const { 0: digits, index } of run.matchAll(/\d+/g)) {
    const before = run.slice(last, index);
    last = index + digits.length;
    groups.push({ start: offset + index, end: offset + last, digits, before });
  }
  return groups;
}

function readRun(
  text: string,
  runStart: number,
  groups: readonly Group[],
  { cards, nationalIds, phones }: NumberKinds,
  rule: number,
  found: Hit[],
): void {
  for (let at = 0; at < groups.length; at += 1) {
    const dialled = at === 0 && text.charCodeAt(runStart) === PLUS;
    const taken =
      (cards && !dialled && cardAt(groups, at)) ||
      (nationalIds && nationalIdAt(groups, at)) ||
      (phones && phoneAt(text, runStart, groups, at));
    if (!taken) continue;
    found.push({ start: taken.start, end: taken.end, label: taken.label, rule });
    at += taken.groups - 1;
  }
}

interface Taken {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly groups: number;
}

function taken(groups: readonly Group[], at: number, count: number, label: string): Taken {
  const start = groups[at]?.start ?? 0;
  return { start, end: groups[at + count - 1]?.end ?? start, label, groups: count };
}

/** Longer numbers without signs are ids of traces and rows far more often. */
const CARD_GROUPINGS = ['4-4-4-4', '4-4-4-4-3', '4-6-5', '4-6-4', '14', '15', '16'];

function cardAt(groups: readonly Group[], at: number): Taken | undefined {
  for (const count of [5, 4, 3, 1]) {
    const some = groups.slice(at, at + count);
    if (some.length < count || !sameSigns(some, [' ', '-'])) continue;
    if (!CARD_GROUPINGS.includes(some.map(({ digits }) => digits.length).join('-'))) continue;
    const digits = some.map((group) => group.digits).join('');
    if (isIssued(digits) && passesLuhn(digits)) return taken(groups, at, count, 'CARD');
  }
  return undefined;
}

/** The ranges of the large networks, with their lengths. */
function isIssued(digits: string): boolean {
  const { length } = digits;
  const four = Number(digits.slice(0, 4));
  const two = Math.floor(four / 100);
  if (digits.startsWith('4')) return length === 16 || length === 19;
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16;
  if (two === 34 || two === 37) return length === 15;
  if (two === 36 || two === 38 || (four >= 3000 && four <= 3059)) return length === 14;
  if (four >= 3528 && four <= 3589) return length >= 16;
  return (
    (four === 6011 || two === 65 || (four >= 6440 && four <= 6499) || two === 62) && length >= 16
  );
}

function nationalIdAt(groups: readonly Group[], at: number): Taken | undefined {
  const [one, two, three, four] = groups.slice(at, at + 4);
  const lengths = [one, two, three, four].map((group) => group?.digits.length ?? 0);
  // United States: 123-45-6789.
  if (
    one &&
    two &&
    three &&
    lengths.slice(0, 3).join('-') === '3-2-4' &&
    two.before === '-' &&
    three.before === '-'
  ) {
    const area = Number(one.digits);
    const valid =
      area > 0 && area !== 666 && area < 900 && two.digits !== '00' && three.digits !== '0000';
    if (valid) return taken(groups, at, 3, 'NATIONAL_ID');
  }
  // Brazil: 123.456.789-09.
  if (one && two && three && four && lengths.join('-') === '3-3-3-2') {
    const written = two.before === '.' && three.before === '.' && four.before === '-';
    const digits = one.digits + two.digits + three.digits + four.digits;
    if (written && passesCpf(digits)) return taken(groups, at, 4, 'NATIONAL_ID');
  }
  return frenchIdAt(groups, at);
}

/** France: 1 84 12 76 451 089 46, or without spaces. */
function frenchIdAt(groups: readonly Group[], at: number): Taken | undefined {
  for (const count of [7, 2, 1]) {
    const some = groups.slice(at, at + count);
    if (some.length < count || !sameSigns(some, [' '])) continue;
    const lengths = some.map(({ digits }) => digits.length).join('-');
    if (!['1-2-2-2-3-3-2', '13-2', '15'].includes(lengths)) continue;
    const digits = some.map((group) => group.digits).join('');
    const month = Number(digits.slice(3, 5));
    if (/^[12]/.test(digits) && month >= 1 && month <= 12 && passesNir(digits)) {
      return taken(groups, at, count, 'NATIONAL_ID');
    }
  }
  return undefined;
}

/** ITU country codes. */
const COUNTRY =
  /^(?:1|7|2(?:0|7|[1-689]\d)|3(?:[0-469]|[578]\d)|4(?:[013-9]|2\d)|5(?:[1-8]|[09]\d)|6(?:[0-6]|[789]\d)|8(?:[12469]|[058]\d)|9(?:[0-58]|[679]\d))/;

function phoneAt(
  text: string,
  runStart: number,
  groups: readonly Group[],
  at: number,
): Taken | undefined {
  const [first] = groups.slice(at, at + 1);
  if (!first) return undefined;
  if (at === 0 && text.charCodeAt(runStart) === PLUS) return international(text, runStart, groups);
  return northAmerican(text, runStart, groups, at);
}

function international(
  text: string,
  runStart: number,
  groups: readonly Group[],
): Taken | undefined {
  let digits = '';
  let count = 0;
  for (const group of groups) {
    if (count > 0 && !/^[ .\-/]$|^ ?\(0?$|^\)[ -]?$|^ \($|^\) $/.test(group.before)) break;
    if (digits.length + group.digits.length > 15) break;
    digits += group.digits;
    count += 1;
  }
  if (digits.length < 8 || !COUNTRY.test(digits)) return undefined;
  // A line of a diff that adds a number.
  const atLineStart = runStart === 0 || text.charCodeAt(runStart - 1) === 10;
  if (count === 1 && (atLineStart || digits.length < 10)) return undefined;
  return { ...taken(groups, 0, count, 'PHONE'), start: runStart };
}

/** (415) 555-2671 and 415-555-2671. */
function northAmerican(
  text: string,
  runStart: number,
  groups: readonly Group[],
  at: number,
): Taken | undefined {
  const [area, exchange, line] = groups.slice(at, at + 3);
  if (!area || !exchange || !line) return undefined;
  const lengths = [area, exchange, line].map(({ digits }) => digits.length).join('-');
  if (lengths !== '3-3-4' || !/^[2-9]/.test(area.digits) || !/^[2-9]/.test(exchange.digits)) {
    return undefined;
  }
  const bracket = area.start > runStart && text.charCodeAt(area.start - 1) === BRACKET;
  const written = bracket
    ? /^\) ?$/.test(exchange.before) && /^[- .]$/.test(line.before)
    : exchange.before === line.before && /^[-.]$/.test(line.before);
  if (!written) return undefined;
  const hit = taken(groups, at, 3, 'PHONE');
  return bracket ? { ...hit, start: hit.start - 1 } : hit;
}

function sameSigns(groups: readonly Group[], allowed: readonly string[]): boolean {
  const [, second] = groups;
  if (!second) return true;
  return (
    allowed.includes(second.before) &&
    groups.slice(1).every(({ before }) => before === second.before)
  );
}
