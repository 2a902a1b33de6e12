import { amountText, epochOutcome, limitText, notAfter, type Calls } from './calls';
import {
  CORRECTIONS_MAX,
  JOURNAL_MAX,
  KEEPS_MAX,
  POST_COUNTERS_MAX,
  POST_MAX,
  STRIKES_MAX,
  type PostCounter,
  type PostedCounter,
  type PostEnd,
  type PostEntry,
  type PostItem,
  type PostOutcome,
  type ReclaimItem,
  type ReclaimOutcome,
} from './float-items';
import { kindCode, LATE_SLACK_MS, type HoldDeps } from './holds';
import { MAX_AMOUNT, type CounterRef } from './items';
import {
  counterKey,
  endedKey,
  floatKey,
  floatsKey,
  holdKey,
  journalKey,
  leasesKey,
  ledgerKey,
  metaKey,
} from './keys';
import { dimensionsText, touchedText, usageText, word } from './ledger-entry';
import { asAmount, asNumber, asText, asTexts } from './replies';
import { FullError } from './unavailable';

// Posting and reclaiming floats: the arguments of the two scripts and their replies.

export async function post(deps: HoldDeps, item: PostItem): Promise<PostOutcome> {
  const first = await askEvenIfFull(deps, item);
  if (first.kind !== 'LATE') return first;
  // Within the deadline here, late there: our estimate of the server's clock is wrong.
  return await askPost('post', deps, item, first.nowMs - deps.clock.now());
}

// Where Redis is out of memory and takes nothing new, ends are reported all the same, and nothing more is lent.
async function askEvenIfFull(deps: HoldDeps, item: PostItem): Promise<PostOutcome> {
  try {
    return await askPost('post', deps, item);
  } catch (error) {
    if (!(error instanceof FullError)) throw error;
    const counters = item.counters.map((c) => ({ ...c, want: c.want < c.keep ? c.want : c.keep }));
    const outcome = await askPost('postFull', deps, { ...item, counters });
    return outcome.kind === 'POSTED' || outcome.kind === 'AGAIN'
      ? { ...outcome, full: true }
      : outcome;
  }
}

async function askPost(
  script: 'post' | 'postFull',
  deps: HoldDeps,
  item: PostItem,
  aheadMs?: number,
): Promise<PostOutcome> {
  const { shard, floatId, counters, ends, journal, keeps } = item;
  checkSizes(item);
  const named = [...ends, ...journal, ...keeps];
  const own = bodyOf(item);
  const reply = await deps.calls.script(
    script,
    [
      metaKey(shard),
      floatsKey(shard),
      leasesKey(shard),
      ledgerKey(shard),
      endedKey(shard),
      floatKey(shard, floatId),
      journalKey(shard, floatId),
      ...counters.map(({ limitId }) => counterKey(shard, limitId)),
      ...named.map(({ requestId }) => holdKey(shard, requestId)),
    ],
    (info) => {
      if (aheadMs !== undefined) info.aheadMs = aheadMs;
      const { runId } = info;
      const late = notAfter(info, deps.clock, deps.deadlineMs + LATE_SLACK_MS);
      return [String(item.epoch), runId, late, floatId, String(item.batch), ...own(deps)];
    },
  );
  switch (reply[0]) {
    case 'POSTED':
    case 'AGAIN':
      return { kind: reply[0], ...answerOf(asText(reply[1]), item) };
    case 'ELSE':
      return { kind: 'ELSE', requestIds: asTexts(reply[1]) };
    case 'GONE':
    case 'OLD':
      return { kind: reply[0] };
    case 'LATE':
      return { kind: 'LATE', nowMs: asNumber(reply[1]) };
    case 'EPOCH':
      return epochOutcome(reply);
    default:
      throw new TypeError(`post answered ${String(reply[0])}`);
  }
}

function checkSizes(item: PostItem): void {
  const check = (name: string, size: number, most: number): void => {
    if (size > most)
      throw new RangeError(`${name}: ${String(size)} in one post, at most ${String(most)}`);
  };
  check('counters', item.counters.length, POST_COUNTERS_MAX);
  check('ends', item.ends.length, POST_MAX);
  check('journal', item.journal.length, JOURNAL_MAX);
  check('keeps', item.keeps.length, KEEPS_MAX);
  check('strikes', item.strikes.length, STRIKES_MAX);
  for (const { limitId, corrections } of item.counters)
    check(`corrections of ${limitId}`, corrections.length, CORRECTIONS_MAX);
}

/** Everything after the batch number, made once: a repeated post is the same bytes. */
function bodyOf(item: PostItem): (deps: HoldDeps) => string[] {
  const { counters, ends, journal, keeps, strikes } = item;
  const places = new Map(counters.map((c, i) => [windowText(c), String(i + 1)]));
  if (places.size < counters.length) throw new RangeError('a counter is named twice in one post');
  const rest = [item.last ? '1' : '0', String(counters.length), String(ends.length)];
  rest.push(String(journal.length), String(keeps.length), String(strikes.length));
  for (const c of counters) rest.push(...counterArgs(c));
  for (const end of ends) rest.push(...endArgs(end, places));
  for (const entry of journal) rest.push(entryText(entry));
  for (const entry of keeps) rest.push(entryText(entry));
  rest.push(...strikes);
  const [floatLease, lease] = [String(item.floatLeaseMs), String(item.leaseMs)];
  return ({ ledgerStreamMax }) => [floatLease, lease, String(ledgerStreamMax), ...rest];
}

const windowText = (c: CounterRef): string =>
  `${c.limitId} ${String(c.windowStartMs)} ${String(c.windowEndMs)}`;

function counterArgs(c: PostCounter): string[] {
  if (c.keep < c.need) throw new RangeError(`${c.limitId}: a float keeps what it needs at least`);
  const args = [
    kindCode(c.kind),
    String(c.windowStartMs),
    String(c.windowEndMs),
    limitText(c.limit),
  ];
  args.push(c.has ? '1' : '0', amountText(c.spent), amountText(c.kept), amountText(c.need));
  args.push(amountText(c.keep), amountText(c.want), String(c.corrections.length));
  for (const { atMs, by } of c.corrections) args.push(String(atMs), signedText(by));
  return args;
}

function signedText(amount: bigint): string {
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT)
    throw new RangeError(`difference ${String(amount)} is out of range`);
  return amount.toString();
}

function endArgs(end: PostEnd, places: ReadonlyMap<string, string>): string[] {
  const counted = end.counters
    .filter(({ kind }) => kind === 'WINDOW' || kind === 'POST_PAID')
    .map((c) => {
      const place = places.get(windowText(c));
      if (place === undefined) throw new RangeError(`${c.limitId}: not a counter of the post`);
      return place;
    });
  const args = [end.mode, String(end.authorisedAtMs), usageText(end.usage)];
  args.push(
    dimensionsText(end.dimensions),
    touchedText(end.counters),
    end.payload,
    counted.join(' '),
  );
  return args;
}

/** As entry_of reads it. */
function entryText(entry: PostEntry): string {
  const head = [String(entry.authorisedAtMs), String(entry.step)];
  for (const c of entry.counters) {
    head.push(word(c.limitId), kindCode(c.kind), amountText(c.amount));
    head.push(String(c.windowStartMs), String(c.windowEndMs));
  }
  return `${head.join(' ')}\n${entry.ticketText}`;
}

function answerOf(text: string, { counters, ends }: PostItem) {
  const [head = '', seqs = '', told = ''] = text.split(';');
  const [now, undrained] = head.split(' ');
  const numbers = seqs === '' ? [] : seqs.split(' ').map(asNumber);
  const rows = told === '' ? [] : told.split('|');
  if (numbers.length !== ends.length || rows.length !== counters.length)
    throw new TypeError('post answered for another number of ends or counters');
  return {
    nowMs: asNumber(now),
    undrained: asNumber(undrained),
    seqs: numbers,
    counters: rows.map(postedCounter),
  };
}

function postedCounter(row: string): PostedCounter {
  const [settled, held, incarnation, target, wanted] = row.split(' ');
  return {
    settled: settled === '-' ? null : asAmount(settled),
    held: asAmount(held),
    incarnation: incarnation === '-' ? null : asText(incarnation),
    target: asAmount(target),
    wanted: wanted === '1',
  };
}

/** Entries of the journal that one call turns into holds. */
const RECLAIM_CHUNK = 200;

export async function reclaim(calls: Calls, item: ReclaimItem): Promise<ReclaimOutcome> {
  const { shard, floatId } = item;
  const reply = await calls.script(
    'reclaim',
    [
      metaKey(shard),
      floatsKey(shard),
      leasesKey(shard),
      floatKey(shard, floatId),
      journalKey(shard, floatId),
    ],
    ({ runId }) => {
      const own = item.own === true ? '1' : '0';
      const args = [String(item.epoch), runId, floatId, String(RECLAIM_CHUNK), own];
      return [...args, String(item.leaseMs)];
    },
  );
  switch (reply[0]) {
    case 'DONE':
    case 'MORE':
      return { kind: reply[0], holds: asNumber(reply[1]) };
    case 'GONE':
      return { kind: 'GONE' };
    case 'ALIVE':
      return { kind: 'ALIVE', leaseUntilMs: asNumber(reply[1]) };
    case 'EPOCH':
      return epochOutcome(reply);
    default:
      throw new TypeError(`reclaim answered ${String(reply[0])}`);
  }
}

export async function expiredFloats(
  calls: Calls,
  shard: number,
  count: number,
  graceMs: number,
): Promise<string[]> {
  const args = [String(graceMs), String(count)];
  const reply = await calls.script('leases', [floatsKey(shard)], () => args);
  return asTexts(reply[1]);
}
