import { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { numberOrNull } from '../../resource/typed';

// The draft of an export destination: form state and request body. Pure.

export interface DestinationDraft {
  readonly name: string;
  readonly type: rest.ExportTarget['type'];
  /** Of WEBHOOK. */
  readonly url: string;
  /** Of S3. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly addressing: 'PATH' | 'VIRTUAL_HOST';
  readonly accessKeyId: string;
  readonly compression: rest.ExportTarget['compression'];
  /** Empty: generated, or the current one. */
  readonly secret: string;
  readonly records: readonly rest.ExportRecord[];
  readonly maxRows: string;
  /** Empty: the default of the type. */
  readonly intervalSeconds: string;
  /** A date; empty: from now on. For new destinations. */
  readonly startFrom: string;
}

export const NEW_DESTINATION: DestinationDraft = {
  name: '',
  type: 'WEBHOOK',
  url: '',
  endpoint: '',
  region: '',
  bucket: '',
  prefix: '',
  addressing: 'PATH',
  accessKeyId: '',
  compression: 'GZIP',
  secret: '',
  records: ['USAGE', 'ADJUSTMENT'],
  maxRows: '1000',
  intervalSeconds: '',
  startFrom: '',
};

export function destinationDraftOf(known: rest.ExportDestination): DestinationDraft {
  const { name, target, records, maxRows, intervalSeconds } = known;
  return {
    ...NEW_DESTINATION,
    ...target,
    name,
    records,
    maxRows: String(maxRows),
    intervalSeconds: String(intervalSeconds),
  };
}

export function destinationBodyOf(
  draft: DestinationDraft,
): z.input<typeof rest.exportDestinationCreate> {
  return { ...settingsOf(draft), startFrom: startOf(draft.startFrom) };
}

export function destinationPatchOf(
  draft: DestinationDraft,
): z.input<typeof rest.exportDestinationPatch> {
  return settingsOf(draft);
}

function settingsOf(draft: DestinationDraft) {
  const { name, records, secret, maxRows, intervalSeconds } = draft;
  return {
    name,
    target: targetOf(draft),
    records: rest.EXPORT_RECORDS.filter((record) => records.includes(record)),
    maxRows: numberOrNull(maxRows) ?? undefined,
    intervalSeconds: numberOrNull(intervalSeconds) ?? undefined,
    ...(secret.trim() === '' ? {} : { secret: secret.trim() }),
  };
}

/** Values typed for the other type are dropped. */
function targetOf(draft: DestinationDraft): z.input<typeof rest.exportTarget> {
  const { type, compression, addressing } = draft;
  if (type === 'WEBHOOK') return { type, url: draft.url.trim(), compression };
  return {
    type,
    endpoint: draft.endpoint.trim(),
    region: draft.region.trim(),
    bucket: draft.bucket.trim(),
    prefix: draft.prefix.trim(),
    addressing,
    accessKeyId: draft.accessKeyId.trim(),
    compression,
  };
}

/** The beginning of the day, in UTC. Text that is no date is sent as it is, and refused by name. */
function startOf(date: string): string | null {
  if (date.trim() === '') return null;
  return `${date.trim()}T00:00:00Z`;
}
