import { formatUsd, SCOPE_WORDS, type QuotaMetric } from '@tollgate/contracts';

import type { Candidate } from './candidates';
import { COUNTED_MAX } from './value-candidates';

/** What an alert says. It is written once, when the alert is raised; only forgetting an end user changes it. */

export interface Words {
  readonly subjectName: string;
  readonly title: string;
  readonly text: string;
}

export function wordsOf(found: Candidate): Words {
  const subjectName = subjectNameOf(found).slice(0, MAX_NAME);
  const { title, text } = WRITE[found.kind](found, subjectName);
  return { subjectName, title: oneLine(title), text: oneLine(text) };
}

/** Longest name in a message; names of users and teams may have 200 characters. */
const MAX_NAME = 300;

const WRITE: {
  readonly [K in Candidate['kind']]: (
    found: Candidate,
    name: string,
  ) => { title: string; text: string };
} = {
  BUDGET_USED: usedWords,
  QUOTA_USED: usedWords,
  BUDGET_FORECAST: (found, name) => ({
    title: `${name} will be spent before its window ends`,
    text: `At the pace so far ${amountOf(found, found.value)} are spent when the window ends at ${instantOf(found.windowEnd)}; the limit is ${amountOf(found, found.limitAmount)}. Raise the budget, or find out what spends so much.`,
  }),
  REQUESTS_REFUSED: (found, name) => ({
    title: `${countOf(found.value)} requests of ${name} are refused`,
    text: `Since ${instantOf(found.windowStart)} ${countOf(found.value)} requests were refused. The page "Refused and failed" of the console says why.`,
  }),
  PROVIDER_KEY_REFUSED: (found, name) => ({
    title: `${name} refuses its API key`,
    text: `Since ${instantOf(found.windowStart)} ${countOf(found.value)} requests failed for it. The key is wrong, or the account has no credit. Replace the key of the provider.`,
  }),
  PROVIDER_ERRORS: (found, name) => ({
    title: `${name} fails: ${countOf(found.value)} % of its requests`,
    text: `Since ${instantOf(found.windowStart)} ${countOf(found.value)} % of ${countOf(found.total ?? 0n)} requests ended with an error of the provider.`,
  }),
  UNPRICED_MODEL: (found, name) => ({
    title: `Model ${name} has no price`,
    text: `Since ${instantOf(found.windowStart)} it served ${countOf(found.value)} requests that cost nothing. Set a price.`,
  }),
  LEDGER_QUARANTINE: (found) => ({
    title: `${countOf(found.value)} ledger entries wait in quarantine`,
    text: 'They could not be booked, so their requests are missing in usage and budgets. Book or dismiss them on the page "Ledger" of the console.',
  }),
  LEDGER_LAG: (found) => ({
    title: `The ledger is ${countOf(found.value)} seconds behind`,
    text: 'Usage and budgets are shown late. Look at the load of the catalog and its database.',
  }),
};

function usedWords(found: Candidate, name: string): { title: string; text: string } {
  if (found.values) return valuesUsedWords(found, found.values, name);
  const used = `${amountOf(found, found.value)} of ${amountOf(found, found.limitAmount)}`;
  const part = (found.value * 100n) / found.limitAmount;
  return {
    title: part >= 100n ? `${name} is used up` : `${name} is used to ${part} %`,
    text: `${used} are used (${part} %; the alert is for ${found.threshold} %). The window ends at ${instantOf(found.windowEnd)}.`,
  };
}

/** One alert for all values that have reached a threshold: there may be very many. */
function valuesUsedWords(
  found: Candidate,
  { count, first }: NonNullable<Candidate['values']>,
  name: string,
): { title: string; text: string } {
  const many = count >= COUNTED_MAX ? `at least ${countOf(BigInt(count))}` : countOf(BigInt(count));
  const [one, several] = VALUE_WORDS[found.scopeType === 'TAG' ? 'TAG' : 'OTHER'](found);
  const named = first.map(({ name: value, amount }) => {
    const part = (BigInt(amount) * 100n) / found.limitAmount;
    return `${value === null ? 'a value whose record was removed' : quoted(value)} ${amountOf(found, BigInt(amount))} (${part} %)`;
  });
  const rest = count - first.length;
  const more =
    rest > 0 ? `, and ${count >= COUNTED_MAX ? 'at least ' : ''}${countOf(BigInt(rest))} more` : '';
  return {
    title: `${name}: ${many} ${count === 1 ? one : several} at ${found.threshold} %`,
    text: `${many} ${count === 1 ? `${one} has` : `${several} have`} used ${found.threshold} % or more of ${amountOf(found, found.limitAmount)}: ${named.join(', ')}${more}. ${rest > 0 ? 'Usage in the console, grouped by them, lists the others.' : 'Usage in the console shows their requests.'}`,
  };
}

/** The name of a value as a text has it. */
export function quoted(name: string): string {
  return oneLine(`"${name}"`);
}

const VALUE_WORDS = {
  TAG: () => ['value', 'values'],
  OTHER: ({ scopeType }: Candidate) => {
    const word = SCOPE_WORDS[scopeType ?? 'END_USER'];
    return [word, `${word}s`];
  },
} as const;

const METRIC_WORDS: Readonly<Record<QuotaMetric, string>> = {
  REQUESTS: 'requests',
  TOKENS: 'tokens',
  TOKENS_IN: 'input tokens',
  TOKENS_OUT: 'output tokens',
  ERRORS: 'errors',
  COST: 'cost',
  LATENCY_MS: 'milliseconds of upstream time',
};

/** "Monthly budget of team Research", or the subject's own name. */
function subjectNameOf({ subjectType, name, ...limit }: Candidate): string {
  const known = name ?? 'something deleted meanwhile';
  if (subjectType === 'LEDGER') return 'Ledger';
  if (subjectType !== 'BUDGET' && subjectType !== 'QUOTA') return known;
  const { period, windowSeconds, metric, scopeType } = limit;
  const rhythm = period === null ? `${windowSeconds ?? 0}-second` : lower(period);
  const what =
    subjectType === 'BUDGET' ? 'budget' : `quota of ${METRIC_WORDS[metric ?? 'REQUESTS']}`;
  if (limit.values) {
    const each =
      scopeType === 'TAG'
        ? `value of tag ${limit.values.tagKey ?? ''}`
        : SCOPE_WORDS[scopeType ?? 'END_USER'];
    const written = `${rhythm} ${what} of each ${each} in ${known}`;
    return written.charAt(0).toUpperCase() + written.slice(1);
  }
  const written = `${rhythm} ${what} of ${SCOPE_WORDS[scopeType ?? 'ORGANISATION']} ${known}`;
  return written.charAt(0).toUpperCase() + written.slice(1);
}

/** Whether the amounts of an alert are nano-USD. */
export function isMoney({ metric }: Pick<Candidate, 'metric'>): boolean {
  return metric === 'COST';
}

function amountOf(found: Candidate, amount: bigint): string {
  if (isMoney(found)) return `$${formatUsd(amount)}`;
  return `${countOf(amount)} ${METRIC_WORDS[found.metric ?? 'REQUESTS']}`;
}

const countOf = (count: bigint): string => count.toLocaleString('en-US');
const lower = (constant: string): string => constant.toLowerCase().replaceAll('_', ' ');
const instantOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** People choose names: a line break in one must not make a line of a letter. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
