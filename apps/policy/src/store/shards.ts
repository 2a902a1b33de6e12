import { amountText, epochOutcome, type Calls } from './calls';
import type {
  BookItem,
  BookOutcome,
  OpenItem,
  OpenOutcome,
  SeedItem,
  SeedOutcome,
  SeedResult,
} from './items';
import { counterKey, leasesKey, ledgerKey, metaKey } from './keys';
import { metricPlace, readEntry, scopePlace, word } from './ledger-entry';
import type { LedgerPage } from './records';
import { asNumber, asRow } from './replies';

// What the catalog's replies do to a shard: seed, book, open. And the ledger, read in order.

export async function seed(calls: Calls, scanMax: number, item: SeedItem): Promise<SeedOutcome> {
  const { shard, counters } = item;
  const reply = await calls.script(
    'seed',
    [
      metaKey(shard),
      ledgerKey(shard),
      leasesKey(shard),
      ...counters.map((c) => counterKey(shard, c.limitId)),
    ],
    ({ runId }) => {
      const args = [
        String(item.epoch),
        runId,
        String(item.position),
        String(item.rev),
        String(scanMax),
      ];
      for (const c of counters) {
        args.push(String(c.windowStartMs), String(c.windowEndMs), amountText(c.total));
        args.push(metricPlace(c.metric), scopePlace(c.scopeType), word(c.scopeId));
      }
      return args;
    },
  );
  switch (reply[0]) {
    case 'DONE': {
      const results = asRow(reply[2]).map((kind, i) => ({
        limitId: counters[i]?.limitId ?? '',
        kind: asSeedResult(kind),
      }));
      return { kind: 'DONE', nowMs: asNumber(reply[1]), results };
    }
    case 'STALE':
      return { kind: 'STALE' };
    case 'LAG':
      return { kind: 'LAG', undrained: asNumber(reply[1]) };
    case 'CLOSED':
      return { kind: 'CLOSED', untilMs: asNumber(reply[1]), nowMs: asNumber(reply[2]) };
    case 'EPOCH':
      return epochOutcome(reply);
    default:
      throw new TypeError(`seed answered ${String(reply[0])}`);
  }
}

function asSeedResult(value: unknown): SeedResult['kind'] {
  if (value === 'SEEDED' || value === 'WARM' || value === 'CLOCK') return value;
  throw new TypeError(`seed answered ${String(value)} for a counter`);
}

export async function book(calls: Calls, item: BookItem): Promise<BookOutcome> {
  const { shard } = item;
  const reply = await calls.script(
    'book',
    [metaKey(shard), ledgerKey(shard), ...item.forgetLimitIds.map((id) => counterKey(shard, id))],
    ({ runId }) => [
      String(item.epoch),
      runId,
      String(item.position),
      String(item.rev),
      item.forgetAll === true ? '1' : '0',
    ],
  );
  if (reply[0] === 'EPOCH') return epochOutcome(reply);
  if (reply[0] !== 'BOOKED') throw new TypeError(`book answered ${String(reply[0])}`);
  return { kind: 'BOOKED', booked: asNumber(reply[1]), seq: asNumber(reply[2]) };
}

export async function open(calls: Calls, item: OpenItem): Promise<OpenOutcome> {
  const { shard } = item;
  const reply = await calls.script('open', [metaKey(shard), ledgerKey(shard)], ({ runId }) => [
    String(item.newEpoch),
    runId,
    String(item.position),
    String(item.rev),
    String(item.graceMs),
  ]);
  if (reply[0] === 'OPENED') return { kind: 'OPENED', closedUntilMs: asNumber(reply[1]) };
  if (reply[0] !== 'ALREADY') throw new TypeError(`open answered ${String(reply[0])}`);
  return { kind: 'ALREADY', epoch: asNumber(reply[1]), lost: reply[2] === '1' };
}

export async function readLedger(
  calls: Calls,
  shard: number,
  fromSeq: number,
  count: number,
): Promise<LedgerPage> {
  const first = `${String(fromSeq + 1)}-0`;
  const reply = await calls.command([
    'XRANGE',
    ledgerKey(shard),
    first,
    '+',
    'COUNT',
    String(count),
  ]);
  const entries = asRow(reply).map(readEntry);
  const start = entries[0]?.seq ?? fromSeq + 1;
  return { entries, gapBefore: start === fromSeq + 1 ? null : start };
}
