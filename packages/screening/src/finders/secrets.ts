// Secrets with a form that their issuers publish: a prefix, its characters and its length. Long random texts
// without one are ids and hashes far more often, so they are left alone.

import { isAsciiWord, type Finder, type Hit } from '../finder';

interface Form {
  readonly prefix: string;
  /** What follows the prefix. */
  readonly body: RegExp;
  readonly label: string;
}

const KEY = 'API_KEY';
const FORMS: readonly Form[] = [
  // Names in code begin with sk- too, but have no digits.
  { prefix: 'sk-', body: /(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,300}/y, label: KEY },
  { prefix: 'AKIA', body: /[A-Z2-7]{16}/y, label: KEY },
  { prefix: 'ASIA', body: /[A-Z2-7]{16}/y, label: KEY },
  { prefix: 'AIza', body: /[A-Za-z0-9_-]{35}/y, label: KEY },
  { prefix: 'ya29.', body: /[A-Za-z0-9_-]{20,400}/y, label: 'TOKEN' },
  { prefix: 'ghp_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'gho_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'ghu_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'ghs_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'ghr_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'github_pat_', body: /[A-Za-z0-9_]{40,100}/y, label: 'TOKEN' },
  { prefix: 'glpat-', body: /[A-Za-z0-9_-]{20,64}/y, label: 'TOKEN' },
  { prefix: 'npm_', body: /[A-Za-z0-9]{36}/y, label: 'TOKEN' },
  { prefix: 'pypi-', body: /[A-Za-z0-9_-]{50,300}/y, label: 'TOKEN' },
  { prefix: 'hf_', body: /[A-Za-z0-9]{30,60}/y, label: 'TOKEN' },
  { prefix: 'xoxb-', body: /[A-Za-z0-9-]{20,250}/y, label: 'TOKEN' },
  { prefix: 'xoxp-', body: /[A-Za-z0-9-]{20,250}/y, label: 'TOKEN' },
  { prefix: 'xapp-', body: /[A-Za-z0-9-]{20,250}/y, label: 'TOKEN' },
  { prefix: 'sk_live_', body: /[A-Za-z0-9]{20,120}/y, label: KEY },
  { prefix: 'rk_live_', body: /[A-Za-z0-9]{20,120}/y, label: KEY },
  { prefix: 'SG.', body: /[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}/y, label: KEY },
  { prefix: 'dop_v1_', body: /[a-f0-9]{64}/y, label: 'TOKEN' },
  { prefix: 'tg_', body: /[A-Za-z0-9_-]{43}/y, label: KEY },
  {
    prefix: 'eyJ',
    body: /[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{16,2000}/y,
    label: 'TOKEN',
  },
];

const PREFIX = new RegExp(
  FORMS.map(({ prefix }) => prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    // The longest first: an alternation takes the first that fits.
    .toSorted((one, other) => other.length - one.length)
    .join('|'),
  'g',
);
const BY_PREFIX = new Map(FORMS.map((form) => [form.prefix, form]));

const PEM_BEGIN = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g;
const PEM = '-----BEGIN ';
/** Longer ones are cut into hits of this length. */
const PEM_CHARACTERS = 16_384;

/** The smallest entropy of a key, in bits for each character. Words and patterns have less. */
const LEAST_ENTROPY = 3;

export function createSecretFinder(rule: number): Finder {
  return {
    scan: (text, found) => {
      PREFIX.lastIndex = 0;
      for (let prefix = PREFIX.exec(text); prefix; prefix = PREFIX.exec(text)) {
        const hit = secretAt(text, prefix.index, prefix[0], rule);
        if (!hit) continue;
        found.push(hit);
        PREFIX.lastIndex = hit.end;
      }
      const openPem = text.includes('-----') ? findPems(text, rule, found) : text.length;
      return Math.min(openPem, openWord(text));
    },
  };
}

function secretAt(text: string, start: number, prefix: string, rule: number): Hit | undefined {
  const form = BY_PREFIX.get(prefix);
  if (!form || !mayBegin(text, start)) return undefined;
  form.body.lastIndex = start + prefix.length;
  const body = form.body.exec(text)?.[0];
  if (body === undefined || entropyOf(body) < LEAST_ENTROPY) return undefined;
  return { start, end: start + prefix.length + body.length, label: form.label, rule };
}

/** Adds whole private keys; returns where an unfinished one begins. */
function findPems(text: string, rule: number, found: Hit[]): number {
  PEM_BEGIN.lastIndex = 0;
  for (let begin = PEM_BEGIN.exec(text); begin; begin = PEM_BEGIN.exec(text)) {
    const start = begin.index;
    PEM_END.lastIndex = PEM_BEGIN.lastIndex;
    const closing = PEM_END.exec(text);
    const end = closing ? PEM_END.lastIndex : Math.min(text.length, start + PEM_CHARACTERS);
    found.push({ start, end, label: 'PRIVATE_KEY', rule });
    if (!closing && end === text.length) return start;
    PEM_BEGIN.lastIndex = end;
  }
  const at = text.lastIndexOf(PEM);
  return at >= 0 && !text.slice(at + PEM.length).includes('-----') ? at : text.length;
}

/** Where the last word begins, if it may become a secret. */
function openWord(text: string): number {
  let start = text.length;
  const least = Math.max(0, text.length - PEM_CHARACTERS);
  while (start > least && continuesWord(text.charCodeAt(start - 1))) start -= 1;
  for (let at = start; at < text.length; at += 1) {
    if (!mayBegin(text, at)) continue;
    const word = text.slice(at, at + LONGEST_PREFIX);
    const opens = OPENINGS.some((prefix) =>
      word.length < prefix.length ? prefix.startsWith(word) : word.startsWith(prefix),
    );
    if (opens) return at;
  }
  return text.length;
}

/** A secret may stand behind a dot or a hyphen, but not inside of a name. */
function mayBegin(text: string, at: number): boolean {
  return at === 0 || !isAsciiWord(text.charCodeAt(at - 1));
}

const OPENINGS = [...BY_PREFIX.keys(), PEM.trimEnd()];
const LONGEST_PREFIX = Math.max(...OPENINGS.map(({ length }) => length));

function continuesWord(code: number): boolean {
  return isAsciiWord(code) || code === 45 || code === 46;
}

/** Shannon's, in bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
