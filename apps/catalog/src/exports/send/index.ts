import type { rest } from '@tollgate/contracts';
import type { AddressRules } from '@tollgate/contracts/node';

import { postWebhook } from '../../webhooks';
import type { SendOutcome } from './outcome';
import { objectUrl, putObject } from './put-object';

/** Delivers the bytes of a batch to either kind of target. */
export type { SendOutcome } from './outcome';
export { objectUrl };

export const SEND_TIMEOUT_MS = 45_000;

export interface Parcel {
  readonly id: string;
  /** The number of a batch; null: a sample. */
  readonly number: bigint | null;
  readonly record: rest.ExportRecord | null;
  readonly rows: number;
  readonly createdAt: Date;
  readonly compressed: boolean;
  readonly body: Buffer;
}

const CONTENT_TYPE = 'application/x-ndjson';

export function send(
  target: rest.ExportTarget,
  secret: string,
  parcel: Parcel,
  { addressRules, nowMs }: { readonly addressRules: AddressRules; readonly nowMs: number },
): Promise<SendOutcome> {
  const limits = { addressRules, timeoutMs: SEND_TIMEOUT_MS };
  const { id, body, compressed, record, number, rows } = parcel;
  if (target.type === 'S3') {
    const contentEncoding = compressed ? 'gzip' : undefined;
    const object = { name: objectName(target, parcel), body, contentEncoding };
    return putObject(target, secret, { ...object, contentType: CONTENT_TYPE }, limits, nowMs);
  }
  const headers = {
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    'tollgate-record-type': record ?? 'TEST',
    'tollgate-rows': String(rows),
    ...(number === null ? {} : { 'tollgate-batch-number': String(number) }),
  };
  const message = { id, body, contentType: CONTENT_TYPE, headers };
  return postWebhook({ url: target.url, secrets: [secret] }, message, limits, nowMs);
}

/**
 * `prefix/usage/2026/11/28/000000000042-<batch id>.ndjson.gz`: sorted by day and number, and the same
 * for every attempt.
 */
export function objectName(
  { prefix }: { readonly prefix: string },
  { id, number, record, createdAt, compressed }: Omit<Parcel, 'body' | 'rows'>,
): string {
  const day = createdAt.toISOString().slice(0, 10).replaceAll('-', '/');
  const folder = (record ?? 'TEST').toLowerCase().replace('_', '-');
  const file = number === null ? id : `${String(number).padStart(12, '0')}-${id}`;
  const name = `${folder}/${day}/${file}.ndjson${compressed ? '.gz' : ''}`;
  return prefix === '' ? name : `${prefix}/${name}`;
}
