import { invalid } from './field-errors';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** The period of an export as text instants. Throws when it is longer than `maxDays`. */
export function exportSpan(
  asked: { from?: string | undefined; to?: string | undefined },
  maxDays: number,
  nowMs: number,
): { from: string; to: string; filename: (what: string) => string } {
  const toMs = asked.to === undefined ? nowMs : Date.parse(asked.to);
  const fromMs =
    asked.from === undefined ? Math.max(0, toMs - DEFAULT_DAYS * DAY_MS) : Date.parse(asked.from);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  if (toMs - fromMs > maxDays * DAY_MS) {
    throw invalid('from', `at most ${maxDays} days before \`to\`: export in parts`);
  }
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return { from, to, filename: (what) => `${what}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv` };
}
