import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { restError } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { PublicCall } from '../rest/call';

/**
 * Slows down guessing. An attempt is counted before it is made and taken back when it succeeds, so
 * that parallel attempts cannot bypass it. Counts are in PostgreSQL, shared by all replicas. Beyond
 * the allowance each attempt doubles the wait. Housekeeping bounds the table.
 */

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** The count restarts after this time without a failure. */
const FORGET_MS = 3_600_000;

/**
 * Attempts before the first wait: for one address at one account, for one account, for one address.
 */
const SIGN_IN = { pair: 10, account: 50, address: 100 } as const;
/** Low, because each request mails the account's owner. */
const RESET_REQUESTS = { account: 3, address: 20 } as const;
const LINKS = { address: 30 } as const;
const SSO = { address: 50 } as const;

/** What is counted, and the number of attempts without a wait. */
export interface Counted {
  readonly key: Buffer;
  readonly allowed: number;
  /** A success resets the count instead of taking one attempt back. */
  readonly wiped: boolean;
}

export function signInCounts(email: string, address: string): Counted[] {
  const network = networkOf(address);
  return [
    counted('pair', `${network} ${email}`, SIGN_IN.pair, true),
    counted('account', email, SIGN_IN.account),
    counted('address', network, SIGN_IN.address),
  ];
}

/** The same whether or not the account exists. */
export function resetRequestCounts(email: string, address: string): Counted[] {
  return [
    counted('reset-account', email, RESET_REQUESTS.account),
    counted('reset-address', networkOf(address), RESET_REQUESTS.address),
  ];
}

/** Lookups, acceptances and confirmations with an invalid link token. */
export function linkCounts(address: string): Counted[] {
  return [counted('link-address', networkOf(address), LINKS.address)];
}

export function ssoCounts(address: string): Counted[] {
  return [counted('sso-address', networkOf(address), SSO.address)];
}

export interface Attempt {
  /** 0 when the attempt is admitted and counted. */
  readonly waitMs: number;
  /** Takes the attempt back. */
  readonly succeeded: () => Promise<void>;
}

interface AttemptState {
  readonly failures: number;
  readonly blockedUntilMs: number;
}

/**
 * Counts an attempt, unless one of its counts is blocked. Within a transaction of the caller, the
 * count is only kept if that commits.
 */
export async function beginAttempt(
  db: EntityManager,
  counts: readonly Counted[],
  nowMs: number,
): Promise<Attempt> {
  const ordered = counts.toSorted((a, b) => Buffer.compare(a.key, b.key));
  const keys = ordered.map(({ key }) => key);
  return db.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO sign_in_throttle (key, failures, blocked_until, forget_at)
       SELECT key, 0, 'epoch', $2 FROM unnest($1::bytea[]) AS given (key) ORDER BY key
       ON CONFLICT DO NOTHING`,
      [keys, new Date(nowMs + FORGET_MS)],
    );
    const states = await locked(tx, keys, nowMs);
    const waitMs = Math.max(
      0,
      ...ordered.map(({ key }) => stateOf(states, key).blockedUntilMs - nowMs),
    );
    if (waitMs > 0) return { waitMs, succeeded: () => Promise.resolve() };
    const next = ordered.map(({ key, allowed }) =>
      afterAttempt(stateOf(states, key), allowed, nowMs),
    );
    await store(tx, keys, next, nowMs);
    return { waitMs: 0, succeeded: () => takeBack(db, ordered, next, nowMs) };
  });
}

/**
 * Like `beginAttempt`, but throws 429 with `Retry-After`. Returns the function to call on success.
 */
export async function admitAttempt(
  call: Pick<PublicCall, 'db' | 'nowMs' | 'setHeader'>,
  counts: readonly Counted[],
): Promise<() => Promise<void>> {
  const { waitMs, succeeded } = await beginAttempt(call.db, counts, call.nowMs);
  if (waitMs === 0) return succeeded;
  call.setHeader('retry-after', String(Math.ceil(waitMs / 1000)));
  throw restError('too_many_requests', 'Too many attempts. Wait before trying again.');
}

/** The state after one more attempt: beyond the allowance the wait doubles. */
export function afterAttempt(before: AttemptState, allowed: number, nowMs: number): AttemptState {
  const failures = before.failures + 1;
  if (failures < allowed) return { failures, blockedUntilMs: 0 };
  const doublings = Math.min(failures - allowed, 20);
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** doublings, LONGEST_WAIT_MS);
  return { failures, blockedUntilMs: nowMs + waitMs };
}

/** Takes the attempt back, and the wait if this attempt began it. */
async function takeBack(
  db: EntityManager,
  counts: readonly Counted[],
  noted: readonly AttemptState[],
  nowMs: number,
): Promise<void> {
  const keys = counts.map(({ key }) => key);
  await db.transaction(async (tx) => {
    const states = await locked(tx, keys, nowMs);
    const next = counts.map(({ key, wiped }, at): AttemptState => {
      const { failures, blockedUntilMs } = stateOf(states, key);
      if (wiped) return { failures: 0, blockedUntilMs: 0 };
      const own = blockedUntilMs === noted[at]?.blockedUntilMs;
      return { failures: Math.max(0, failures - 1), blockedUntilMs: own ? 0 : blockedUntilMs };
    });
    await store(tx, keys, next, nowMs);
  });
}

const rows = z.array(
  z.object({ key: z.instanceof(Buffer), failures: z.int(), blocked_until: z.date() }),
);

/** Locks the rows sorted by key, to avoid deadlocks. Expired rows count as zero. */
async function locked(
  tx: EntityManager,
  keys: readonly Buffer[],
  nowMs: number,
): Promise<Map<string, AttemptState>> {
  const found = rows.parse(
    await tx.query(
      `SELECT key, CASE WHEN forget_at > $2 THEN failures ELSE 0 END AS failures, blocked_until
         FROM sign_in_throttle WHERE key = ANY($1) ORDER BY key FOR UPDATE`,
      [keys, new Date(nowMs)],
    ),
  );
  return new Map(
    found.map((row) => [
      row.key.toString('hex'),
      { failures: row.failures, blockedUntilMs: row.blocked_until.getTime() },
    ]),
  );
}

function stateOf(states: ReadonlyMap<string, AttemptState>, key: Buffer): AttemptState {
  return states.get(key.toString('hex')) ?? { failures: 0, blockedUntilMs: 0 };
}

async function store(
  tx: EntityManager,
  keys: readonly Buffer[],
  states: readonly AttemptState[],
  nowMs: number,
): Promise<void> {
  await tx.query(
    `UPDATE sign_in_throttle SET failures = given.failures, forget_at = $4,
            blocked_until = given.blocked_until
       FROM unnest($1::bytea[], $2::int[], $3::timestamptz[])
         AS given (key, failures, blocked_until)
      WHERE sign_in_throttle.key = given.key`,
    [
      keys,
      states.map(({ failures }) => failures),
      states.map(({ blockedUntilMs }) => new Date(blockedUntilMs).toISOString()),
      new Date(nowMs + FORGET_MS),
    ],
  );
}

function counted(what: string, value: string, allowed: number, wiped = false): Counted {
  return { key: createHash('sha256').update(`${what} ${value}`).digest(), allowed, wiped };
}

/**
 * The key to count an address by: an IPv6 address as its /64, which one subscriber owns; an IPv4
 * address as itself, in normal form.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail?.split(':') ?? [])];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
