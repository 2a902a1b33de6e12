import type { rest } from '@tollgate/contracts';

import type { Tone } from '../../design/badge';

export const TARGET_WORDS: Readonly<Record<rest.ExportTarget['type'], string>> = {
  WEBHOOK: 'Webhook',
  S3: 'S3-compatible storage',
};

export const RECORD_WORDS: Readonly<
  Record<rest.ExportRecord, { readonly label: string; readonly hint: string }>
> = {
  USAGE: { label: 'Usage records', hint: 'One line for each request, to models and MCP servers.' },
  ADJUSTMENT: {
    label: 'Adjustments',
    hint: 'Corrections, new prices and late usage, as differences to records.',
  },
  MCP_USAGE: {
    label: 'Details of MCP requests',
    hint: 'What only requests to MCP servers have. Their cost is in the usage records too.',
  },
  AUDIT: { label: 'Audit events', hint: 'Who changed what.' },
};

/** The state of a destination in one word. */
export function stateOf({
  status,
  delivery,
}: Pick<rest.ExportDestination, 'status' | 'delivery'>): {
  readonly word: string;
  readonly tone: Tone;
} {
  if (status === 'PAUSED') return { word: 'Paused', tone: 'neutral' };
  if (status === 'DISABLED') return { word: 'Disabled', tone: 'bad' };
  if (delivery.failures > 0) return { word: 'Failing', tone: 'warn' };
  return { word: 'Active', tone: 'good' };
}

/** Where a destination delivers to. */
export function placeOf(target: rest.ExportTarget): string {
  if (target.type === 'WEBHOOK') return target.url;
  const { endpoint, bucket, prefix } = target;
  return [endpoint.replace(/\/$/, ''), bucket, ...(prefix === '' ? [] : [prefix])].join('/');
}
