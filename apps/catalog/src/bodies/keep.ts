import { BODY_LEFT_OUT, isOneOf, rest, type BodyLeftOut } from '@tollgate/contracts';
import type {
  BodyText__Output,
  KeyRing,
  RequestBodies__Output,
  SealedSecret,
} from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';
import type { Pool } from 'pg';
import { z } from 'zod';

import { inTransaction, type Tx } from '../db/transaction';
import { sealContent } from './content';

export interface KeepDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** Whether the installation keeps bodies. */
  readonly allowed: boolean;
  /** Of one organisation in a day. */
  readonly dayBytes: number;
}

/**
 * Stores bodies that an edge has masked, each once. Those whose organisation does not want them any more, or has
 * deleted all since, and those of an end user that was forgotten, are dropped.
 * @throws RangeError naming the field that cannot be stored
 */
export type KeepBodies = (bodies: readonly RequestBodies__Output[]) => Promise<KeptCounts>;

/** Of requests and answers with a text. */
export interface KeptCounts {
  /** Also those that were stored before. */
  readonly kept: number;
  readonly dayFull: number;
}
const NONE: KeptCounts = { kept: 0, dayFull: 0 };

const MOST_BODIES = 200;
const MOST_LABELS = 100;

export function createKeepBodies(deps: KeepDeps): KeepBodies {
  return async (bodies) => {
    if (bodies.length > MOST_BODIES) throw new RangeError(`at most ${MOST_BODIES} at a time`);
    for (const body of bodies) check(body);
    if (!deps.allowed || bodies.length === 0) return NONE;
    // Sealed before the transaction, so that no lock waits for it.
    const { rows: known } = await deps.pool.query<Wish>(WISHES, [idsOf(bodies)]);
    const wishes = new Map(known.map((wish) => [wish.id, wish]));
    const rows: Row[] = [];
    for (const body of bodies) {
      const row = await rowOf(deps, body, wishes.get(body.organisationId));
      if (row) rows.push(row);
    }
    if (rows.length === 0) return NONE;
    return inTransaction(deps.pool, (tx) => store(tx, deps, rows));
  };
}

interface Row {
  readonly id: string;
  readonly organisationId: string;
  readonly atMs: number;
  readonly request: { readonly kept: boolean; readonly leftOut: BodyLeftOut | null };
  readonly answer: { readonly kept: boolean; readonly leftOut: BodyLeftOut | null };
  readonly partial: boolean;
  readonly masked: readonly { label: string; count: number }[];
  readonly sealed: SealedSecret | undefined;
}

interface Wish {
  id: string;
  request: boolean;
  answer: boolean;
  from: Date | null;
}

const WISHES = `SELECT id, keep_request_bodies AS request, keep_answer_bodies AS answer,
    kept_bodies_from AS from FROM organisation WHERE id = ANY($1::uuid[]) ORDER BY id`;

function idsOf(bodies: readonly { readonly organisationId: string }[]): string[] {
  return [...new Set(bodies.map(({ organisationId }) => organisationId))].toSorted();
}

function wants({ atMs }: { readonly atMs: number }, wish: Wish | undefined): wish is Wish {
  if (!wish || !(wish.request || wish.answer)) return false;
  return wish.from === null || atMs > wish.from.getTime();
}

async function rowOf(
  { clock, keyRing }: KeepDeps,
  body: RequestBodies__Output,
  wish: Wish | undefined,
): Promise<Row | undefined> {
  if (!wants(body, wish)) return undefined;
  const request = wish.request ? body.request : null;
  const answer = wish.answer ? body.answer : null;
  if (!request && !answer) return undefined;
  const content = { request: textOf(request), answer: textOf(answer) };
  const empty = content.request === null && content.answer === null;
  return {
    id: body.requestId,
    organisationId: body.organisationId,
    // A clock that is ahead must not keep a body for longer.
    atMs: Math.min(body.atMs, clock.now()),
    request: { kept: content.request !== null, leftOut: leftOutOf(request) },
    answer: { kept: content.answer !== null, leftOut: leftOutOf(answer) },
    partial: answer?.partial ?? false,
    masked: body.masked,
    sealed: empty ? undefined : await sealContent(keyRing, body.requestId, content),
  };
}

function textOf(body: BodyText__Output | null): string | null {
  return body === null || body.leftOut !== '' ? null : body.text;
}

function leftOutOf(body: BodyText__Output | null): BodyLeftOut | null {
  const { leftOut = '' } = body ?? {};
  return isOneOf(BODY_LEFT_OUT, leftOut) ? leftOut : null;
}

const INSERT = `
  INSERT INTO kept_body (id, organisation_id, at, request_kept, request_left_out, answer_kept, answer_left_out,
    answer_partial, masked, secret_key_id, secret_nonce, secret_ciphertext, secret_tag)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::boolean[], $5::text[], $6::boolean[],
    $7::text[], $8::boolean[], $9::jsonb[], $10::text[], $11::bytea[], $12::bytea[], $13::bytea[])
  ON CONFLICT (id) DO NOTHING`;

async function store(tx: Tx, deps: KeepDeps, rows: readonly Row[]): Promise<KeptCounts> {
  // Deleting all bodies locks the row of the organisation, so nothing is stored after it that came before.
  const { rows: locked } = await tx.query<Wish>(`${WISHES} FOR SHARE`, [idsOf(rows)]);
  const wishes = new Map(locked.map((wish) => [wish.id, wish]));
  // Before looking what is there: a report that is sent again waits here for the first one.
  const day = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const used = await lockDay(tx, day, idsOf(rows));
  const room = new Map([...used].map(([id, bytes]) => [id, deps.dayBytes - bytes]));
  const ids = rows.map(({ id }) => id);
  const { rows: known } = await tx.query<{ id: string }>(
    'SELECT id FROM kept_body WHERE id = ANY($1::uuid[])',
    [ids],
  );
  const { rows: forgotten } = await tx.query<{ id: string }>(
    'SELECT id FROM usage_record WHERE id = ANY($1::uuid[]) AND end_user = $2',
    [ids, rest.FORGOTTEN],
  );
  const stored = new Set(known.map(({ id }) => id));
  const gone = new Set(forgotten.map(({ id }) => id));
  const fresh = rows.filter(
    (row) => !stored.has(row.id) && !gone.has(row.id) && wants(row, wishes.get(row.organisationId)),
  );
  const fitting = fresh.map((row) => within(room, row));
  if (fitting.length > 0) {
    await tx.query(INSERT, valuesOf(fitting));
    await countDay(tx, day, fitting);
  }
  const kept = textsIn(fitting);
  return {
    kept: kept + textsIn(rows.filter(({ id }) => stored.has(id))),
    dayFull: textsIn(fresh) - kept,
  };
}

function textsIn(rows: readonly Row[]): number {
  return rows.reduce(
    (sum, { answer, request }) => sum + Number(answer.kept) + Number(request.kept),
    0,
  );
}

/** The bytes that organisations have kept on a day. Their rows stay locked, always in the same order. */
async function lockDay(tx: Tx, day: string, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows: days } = await tx.query<{ id: string; bytes: string }>(
    `INSERT INTO kept_body_day AS d (organisation_id, day, bytes)
      SELECT id, $2, 0 FROM unnest($1::uuid[]) AS id ORDER BY id
      ON CONFLICT (organisation_id, day) DO UPDATE SET bytes = d.bytes
      RETURNING organisation_id AS id, bytes`,
    [ids, day],
  );
  return new Map(days.map(({ bytes, id }) => [id, Number(bytes)]));
}

async function countDay(tx: Tx, day: string, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `UPDATE kept_body_day d SET bytes = d.bytes + n.bytes
      FROM (SELECT id, sum(bytes) AS bytes FROM unnest($1::uuid[], $2::bigint[]) AS r (id, bytes)
        GROUP BY id) AS n
      WHERE d.organisation_id = n.id AND d.day = $3`,
    [rows.map(({ organisationId }) => organisationId), rows.map(bytesOf), day],
  );
}

const bytesOf = ({ sealed }: Row): number => sealed?.ciphertext.length ?? 0;

/** The row, without its content if the day has no room for it. */
function within(room: Map<string, number>, row: Row): Row {
  const left = (room.get(row.organisationId) ?? 0) - bytesOf(row);
  if (left < 0) return withoutContent(row);
  room.set(row.organisationId, left);
  return row;
}

function withoutContent(row: Row): Row {
  const full = ({ kept, leftOut }: Row['request']): Row['request'] =>
    kept ? { kept: false, leftOut: 'DAY_FULL' } : { kept, leftOut };
  return {
    ...row,
    request: full(row.request),
    answer: full(row.answer),
    masked: [],
    sealed: undefined,
  };
}

function valuesOf(rows: readonly Row[]): unknown[][] {
  return [
    rows.map(({ id }) => id),
    rows.map(({ organisationId }) => organisationId),
    rows.map(({ atMs }) => new Date(atMs).toISOString()),
    rows.map(({ request }) => request.kept),
    rows.map(({ request }) => request.leftOut),
    rows.map(({ answer }) => answer.kept),
    rows.map(({ answer }) => answer.leftOut),
    rows.map(({ partial }) => partial),
    rows.map(({ masked }) => JSON.stringify(masked)),
    rows.map(({ sealed }) => sealed?.keyId ?? null),
    rows.map(({ sealed }) => sealed?.nonce ?? null),
    rows.map(({ sealed }) => sealed?.ciphertext ?? null),
    rows.map(({ sealed }) => sealed?.tag ?? null),
  ];
}

function check({ requestId, organisationId, atMs, masked }: RequestBodies__Output): void {
  const fail = (field: string): never => {
    throw new RangeError(`bodies: ${field} cannot be stored`);
  };
  if (!z.uuid().safeParse(requestId).success) fail('request_id');
  if (!z.uuid().safeParse(organisationId).success) fail('organisation_id');
  if (!Number.isSafeInteger(atMs) || atMs <= 0 || atMs > 8.64e15) fail('at_ms');
  if (masked.length > MOST_LABELS) fail('masked');
  if (masked.some(({ label }) => !/^[A-Z][A-Z0-9_]{0,63}$/.test(label))) fail('masked');
}
