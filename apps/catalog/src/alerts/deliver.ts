import { ALERT_DESTINATION_KINDS, type rest } from '@tollgate/contracts';
import {
  alertDestinationContext,
  openSecret,
  type AddressRules,
  type KeyRing,
} from '@tollgate/contracts/node';
import { doublingDelay, withDeadline, type Clock, type Logger } from '@tollgate/kit';
import type { Pool } from 'pg';
import { z } from 'zod';

import { faultOf, SEND_TIMEOUT_MS, type SendMail } from '../mail';
import { postWebhook } from '../webhooks';
import { letterOf, webhookBody } from './message';
import { readMessage } from './read-message';
import { iso } from './spans';

export interface DeliveryDeps {
  readonly pool: Pool;
  readonly ring: KeyRing;
  readonly log: Logger;
  readonly clock: Clock;
  /** Private networks that URLs may point into. */
  readonly addressRules: AddressRules;
  /** Base URL of the links. */
  readonly consoleUrl: string;
  /** Absent: the installation has no mail server. */
  readonly sendMail?: SendMail | undefined;
  readonly onAttempt?: (kind: Taken['destinationKind'], outcome: Outcome) => void;
}

export type Outcome = 'DELIVERED' | 'RETRY' | 'FAILED';

/** After a number of attempts. */
export const retryAfterMs = doublingDelay(30_000, 3_600_000);
/** The last attempt is about five hours after the first. */
export const MAX_ATTEMPTS = 12;
const WEBHOOK_TIMEOUT_MS = 10_000;
/** A lease outlasts the longest attempt. */
const LEASE_MS = 2 * SEND_TIMEOUT_MS;

const taken = z.object({
  id: z.string(),
  alertId: z.string().nullable(),
  organisationId: z.string().nullable(),
  destinationId: z.string().nullable(),
  destinationKind: z.enum(ALERT_DESTINATION_KINDS),
  attempts: z.int(),
  lastError: z.string().nullable(),
  expiresAt: z.date(),
});
export type Taken = z.output<typeof taken>;

const RETURNED = `id, alert_id AS "alertId", organisation_id AS "organisationId",
  destination_id AS "destinationId", destination_kind AS "destinationKind", attempts,
  last_error AS "lastError", expires_at AS "expiresAt"`;

// A destination gets one message at a time, so that a slow one does not occupy all workers.
const TAKE = `
  UPDATE alert_delivery SET attempts = attempts + 1, leased_until = $2
  WHERE id = (SELECT d.id FROM alert_delivery d
    WHERE d.status = 'PENDING' AND d.next_attempt_at <= $1
      AND (d.leased_until IS NULL OR d.leased_until <= $1)
      AND NOT EXISTS (SELECT FROM alert_delivery o
        WHERE o.destination_id = d.destination_id AND o.leased_until > $1)
    ORDER BY d.next_attempt_at, d.created_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
  RETURNING ${RETURNED}`;

/** Leases the message that is due first; undefined when none is. */
export async function takeNext({ pool, clock }: DeliveryDeps): Promise<Taken | undefined> {
  const nowMs = clock.now();
  const { rows } = await pool.query(TAKE, [iso(nowMs), iso(nowMs + LEASE_MS)]);
  return rows[0] === undefined ? undefined : taken.parse(rows[0]);
}

/** Leases one message that nobody else is sending. */
export async function takeOne(
  { pool, clock }: DeliveryDeps,
  id: string,
): Promise<Taken | undefined> {
  const nowMs = clock.now();
  const { rows } = await pool.query(
    `UPDATE alert_delivery SET attempts = attempts + 1, leased_until = $2
     WHERE id = $3 AND status = 'PENDING' AND (leased_until IS NULL OR leased_until <= $1)
     RETURNING ${RETURNED}`,
    [iso(nowMs), iso(nowMs + LEASE_MS), id],
  );
  return rows[0] === undefined ? undefined : taken.parse(rows[0]);
}

/** Delivers the message that is due first; undefined when none is due. */
export async function deliverNext(deps: DeliveryDeps): Promise<Outcome | undefined> {
  const delivery = await takeNext(deps);
  return delivery === undefined ? undefined : (await attempt(deps, delivery)).outcome;
}

interface Fault {
  readonly text: string;
  /** Another attempt cannot succeed. */
  readonly permanent: boolean;
  /** How long the receiver asks to wait. */
  readonly waitMs: number;
}

/** Sends a leased message and stores what came of it. */
export async function attempt(
  deps: DeliveryDeps,
  delivery: Taken,
): Promise<{ outcome: Outcome; error: string | null }> {
  const { clock, log, pool } = deps;
  const { id, alertId, attempts, destinationKind } = delivery;
  const nowMs = clock.now();
  const fault =
    delivery.expiresAt.getTime() <= nowMs
      ? never(`It could not be delivered within a day. ${delivery.lastError ?? ''}`.trim())
      : await send(deps, delivery, nowMs);
  const about = { deliveryId: id, alertId, kind: destinationKind, attempts, fault: fault?.text };
  let outcome: Outcome = 'DELIVERED';
  if (fault !== undefined) {
    // A test is repeated by the person who watches it.
    const final = fault.permanent || attempts >= MAX_ATTEMPTS || alertId === null;
    outcome = final ? 'FAILED' : 'RETRY';
    if (final) log.error('message of an alert given up', about);
    else log.warn('message of an alert not delivered, retrying', about);
    if (!fault.permanent) await postpone(pool, delivery, nowMs + waitMs(attempts, fault));
  }
  await pool.query(
    `UPDATE alert_delivery SET status = $2, last_error = $3, leased_until = NULL,
       next_attempt_at = CASE WHEN $2 = 'PENDING' THEN $4 ELSE next_attempt_at END,
       delivered_at = CASE WHEN $2 = 'DELIVERED' THEN $5::timestamptz END
     WHERE id = $1 AND status = 'PENDING'`,
    [
      id,
      outcome === 'RETRY' ? 'PENDING' : outcome,
      fault?.text ?? null,
      iso(nowMs + (fault === undefined ? 0 : waitMs(attempts, fault))),
      iso(nowMs),
    ],
  );
  deps.onAttempt?.(destinationKind, outcome);
  return { outcome, error: fault?.text ?? null };
}

function waitMs(attempts: number, fault: Fault): number {
  return Math.max(retryAfterMs(attempts), fault.waitMs);
}

/** Other messages to a destination that fails wait as long as this one. */
async function postpone(pool: Pool, { id, destinationId }: Taken, untilMs: number): Promise<void> {
  if (destinationId === null) return;
  await pool.query(
    `UPDATE alert_delivery SET next_attempt_at = $3
     WHERE destination_id = $1 AND id <> $2 AND status = 'PENDING' AND next_attempt_at < $3`,
    [destinationId, id, iso(untilMs)],
  );
}

const never = (text: string): Fault => ({ text, permanent: true, waitMs: 0 });

/** The fault; undefined when the message was delivered. */
async function send(
  deps: DeliveryDeps,
  delivery: Taken,
  nowMs: number,
): Promise<Fault | undefined> {
  const found = await readMessage(deps.pool, delivery, deps.consoleUrl, new Date(nowMs));
  if (found === undefined) return never('The destination was deleted.');
  const { destination, message } = found;
  if (destination.status !== 'ACTIVE') return never('The destination is disabled.');
  if (destination.kind === 'EMAIL') return mail(deps, destination.email ?? '', message);
  let secret: string;
  try {
    secret = openSecret(deps.ring, destination.secret, alertDestinationContext(destination.id));
  } catch {
    return { text: 'The stored secret cannot be opened.', permanent: false, waitMs: 0 };
  }
  const { kind, url } = destination;
  const target =
    kind === 'SLACK' ? { url: secret, secrets: [] } : { url: url ?? '', secrets: [secret] };
  const outcome = await postWebhook(
    target,
    { id: message.data.id, ...webhookBody(kind, message) },
    { addressRules: deps.addressRules, timeoutMs: WEBHOOK_TIMEOUT_MS },
    nowMs,
  );
  if (outcome.ok) return undefined;
  const { code, message: text, retryAfterMs: asked } = outcome;
  return { text, permanent: code === 'gone', waitMs: asked ?? 0 };
}

async function mail(
  { sendMail }: DeliveryDeps,
  to: string,
  message: rest.AlertMessage,
): Promise<Fault | undefined> {
  if (sendMail === undefined) return never('The installation has no mail server (SMTP_URL).');
  try {
    const sending = sendMail({ ...letterOf(message), id: message.data.id, to });
    await withDeadline(sending, SEND_TIMEOUT_MS, 'the mail server');
    return undefined;
  } catch (error) {
    const { text, permanent } = faultOf(error);
    return { text: `The mail server: ${text}`, permanent, waitMs: 0 };
  }
}
