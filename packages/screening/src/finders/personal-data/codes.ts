// Codes of capital letters and digits: bank accounts, and the ids of some countries.

import { isAsciiWord, isDigit, type Hit } from '../../finder';
import { passesCodiceFiscale, passesDni, passesIban } from './checksums';

/** Characters of an IBAN by country (ISO 13616). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
};

const IBAN = /(?<![A-Za-z0-9_])[A-Z]{2}\d{2} ?[A-Z0-9]{4}/g;

export function findIbans(text: string, rule: number, found: Hit[]): void {
  IBAN.lastIndex = 0;
  for (let begin = IBAN.exec(text); begin; begin = IBAN.exec(text)) {
    const start = begin.index;
    const length = IBAN_LENGTHS[text.slice(start, start + 2)];
    const read = length === undefined ? undefined : readCode(text, start, length);
    if (!read || !passesIban(read.code)) continue;
    found.push({ start, end: read.end, label: 'IBAN', rule });
    IBAN.lastIndex = read.end;
  }
}

/** So many letters and digits, with single spaces between them. */
function readCode(
  text: string,
  start: number,
  length: number,
): { code: string; end: number } | undefined {
  let code = '';
  let at = start;
  while (code.length < length) {
    const unit = text.charCodeAt(at);
    if (isCode(unit)) code += text[at];
    else if (unit !== 32 || !isCode(text.charCodeAt(at + 1))) return undefined;
    at += 1;
  }
  return at < text.length && isAsciiWord(text.charCodeAt(at)) ? undefined : { code, end: at };
}

const NATIONAL_ID = new RegExp(
  [
    // United Kingdom: QQ 12 34 56 C.
    /[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]/,
    // Spain: 12345678Z, X1234567L.
    /(?<dni>\d{8}|[XYZ]\d{7})-?(?<letter>[A-Z])/,
    // Italy: RSSMRA85T10A562S.
    /(?<fiscal>[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
/** Prefixes that are never given. */
const UK_UNUSED = new Set(['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ']);

export function findNationalIds(text: string, rule: number, found: Hit[]): void {
  for (const { 0: shown, groups = {}, index } of text.matchAll(NATIONAL_ID)) {
    if (continuesWord(text, index - 1) || continuesWord(text, index + shown.length)) continue;
    const { dni, fiscal, letter } = groups;
    if (
      dni !== undefined &&
      !passesDni(dni.replace('X', '0').replace('Y', '1').replace('Z', '2'), letter ?? '')
    )
      continue;
    if (fiscal !== undefined && !passesCodiceFiscale(fiscal)) continue;
    if (dni === undefined && fiscal === undefined && UK_UNUSED.has(shown.slice(0, 2))) continue;
    found.push({ start: index, end: index + shown.length, label: 'NATIONAL_ID', rule });
  }
}

// Not a lookaround: with one, the pattern could not be searched by its first character.
function continuesWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isAsciiWord(code) || code === HYPHEN;
}

const HYPHEN = 45;

/** The longest code with its spaces. */
const MOST_CHARACTERS = 44;

/** Where an unfinished code at the end begins; the text's length: there is none. */
export function openCode(text: string): number {
  const least = Math.max(0, text.length - MOST_CHARACTERS);
  let start = text.length;
  let first = text.length;
  while (start > least) {
    const code = text.charCodeAt(start - 1);
    if (isCode(code)) first = start - 1;
    else if (code !== 32 && code !== 45) break;
    start -= 1;
  }
  return first;
}

function isCode(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90);
}
