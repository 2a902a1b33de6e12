import {
  ALERT_DESTINATION_KINDS,
  ALERT_KINDS,
  ALERT_SUBJECT_TYPES,
  type rest,
} from '@tollgate/contracts';
import type { Pool } from 'pg';
import { z } from 'zod';

import { alertFieldsOf, testMessage } from './message';

/** A queued message with its destination, as they are now. */

const secret = z.object({
  keyId: z.string(),
  nonce: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
  tag: z.instanceof(Buffer),
});

const base = { id: z.string(), status: z.string(), slug: z.string().nullable() };
const destinationRow = z.discriminatedUnion('kind', [
  z.object({ ...base, kind: z.literal('EMAIL'), email: z.string().nullable() }),
  z.object({
    ...base,
    kind: z.enum(ALERT_DESTINATION_KINDS).exclude(['EMAIL']),
    url: z.string().nullable(),
    secret,
  }),
]);

const alertRow = z.object({
  id: z.string(),
  organisationId: z.string().nullable(),
  ruleId: z.string(),
  ruleName: z.string(),
  kind: z.enum(ALERT_KINDS),
  subjectType: z.enum(ALERT_SUBJECT_TYPES),
  subjectId: z.string(),
  subjectName: z.string(),
  windowStartsAt: z.date(),
  windowEndsAt: z.date(),
  threshold: z.int(),
  limitAmount: z.bigint(),
  value: z.bigint(),
  money: z.boolean(),
  title: z.string(),
  text: z.string(),
  createdAt: z.date(),
});

/** Undefined: the destination was deleted. */
export async function readMessage(
  pool: Pool,
  delivery: {
    readonly id: string;
    readonly alertId: string | null;
    readonly organisationId: string | null;
    readonly destinationId: string | null;
  },
  consoleUrl: string,
  at: Date,
): Promise<
  { destination: z.output<typeof destinationRow>; message: rest.AlertMessage } | undefined
> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT d.id, d.kind, d.status, d.email, d.url, o.slug, d.secret_key_id AS "keyId",
       d.secret_nonce AS nonce, d.secret_ciphertext AS ciphertext, d.secret_tag AS tag
     FROM alert_destination d LEFT JOIN organisation o ON o.id = d.organisation_id
     WHERE d.id = $1`,
    [delivery.destinationId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const destination = destinationRow.parse({ ...row, secret: row });
  const page = `${consoleUrl}/${destination.slug ?? 'admin'}/alerts`;
  if (delivery.alertId === null) {
    return { destination, message: testMessage(delivery.id, delivery.organisationId, page, at) };
  }
  const data = alertFieldsOf(await readAlert(pool, delivery.alertId));
  const url = `${page}?alert=${data.id}`;
  return {
    destination,
    message: { type: 'alert.raised', timestamp: data.createdAt, data, url },
  };
}

async function readAlert(pool: Pool, id: string): Promise<z.output<typeof alertRow>> {
  const { rows } = await pool.query(
    `SELECT id, organisation_id AS "organisationId", rule_id AS "ruleId", rule_name AS "ruleName",
       kind, subject_type AS "subjectType", subject_id AS "subjectId",
       subject_name AS "subjectName", window_starts_at AS "windowStartsAt",
       window_ends_at AS "windowEndsAt", threshold, limit_amount AS "limitAmount", value, money,
       title, text, created_at AS "createdAt"
     FROM alert WHERE id = $1`,
    [id],
  );
  return alertRow.parse(rows[0]);
}
