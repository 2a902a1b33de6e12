import { z } from 'zod';

import { tagKey } from '../usage-tags';
import { billingRecipient } from './billing-recipient';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page, usdAmount } from './fields';

export const INVOICE_STATUSES = ['DRAFT', 'ISSUED', 'VOID'] as const;
export const INVOICE_LINE_KINDS = ['USAGE', 'ADJUSTMENT'] as const;

const month = z
  .string()
  .regex(/^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/, 'a month, such as "2026-10"')
  .meta({ id: 'Month', description: 'A month of the organisation’s calendar, such as "2026-10".' });

export const invoice = z
  .object({
    id,
    organisationId: id,
    number: z
      .string()
      .nullable()
      .meta({ description: 'The invoice number, without gaps in an organisation; null: a draft.' }),
    status: z.enum(INVOICE_STATUSES),
    month,
    startsAt: instant,
    endsAt: instant,
    timeZone: z.string(),
    totalUsd: usdAmount.meta({ description: 'The sum of the lines, exact.' }),
    roundingUsd: usdAmount.meta({ description: 'dueUsd minus totalUsd, in US dollars.' }),
    dueUsd: usdAmount.meta({
      description: 'The total in US dollars, rounded to cents, half away from zero.',
    }),
    lineCount: z.int(),
    ...billingRecipient,
    issuedAt: instant.nullable(),
    voidedAt: instant.nullable(),
    voidReason: z.string().nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Invoice' });
export type Invoice = z.output<typeof invoice>;

const lineName = z.string().nullable().meta({
  description: 'The name when the line was computed; of older lines the name now.',
});

export const invoiceLine = z
  .object({
    id,
    kind: z.enum(INVOICE_LINE_KINDS).meta({
      description:
        "ADJUSTMENT: usage of an earlier month that was booked after that month's invoice was issued.",
    }),
    month,
    description: z.string(),
    teamId: id.nullable(),
    team: lineName,
    apiKeyId: id.nullable(),
    apiKey: lineName,
    modelId: id.nullable(),
    model: lineName,
    mcpServerId: id.nullable().meta({ description: 'Null: usage of a model.' }),
    mcpServer: lineName,
    requests: z.int(),
    tokensIn: z.int(),
    tokensOut: z.int(),
    amountUsd: usdAmount.meta({ description: 'Exact; negative is a credit.' }),
  })
  .meta({ id: 'InvoiceLine' });
export type InvoiceLine = z.output<typeof invoiceLine>;

export const INVOICE_TEAMS = 1_000;

export const invoiceTeams = z
  .object({
    data: z.array(
      z.object({
        teamId: id.nullable().meta({ description: 'Null: usage without a team.' }),
        team: lineName,
        lineCount: z.int(),
        requests: z.int(),
        amountUsd: usdAmount.meta({ description: 'The sum of the lines of the team, exact.' }),
      }),
    ),
    teamCount: z.int().meta({ description: 'The number of all teams, listed or not.' }),
  })
  .meta({ id: 'InvoiceTeams' });
export type InvoiceTeams = z.output<typeof invoiceTeams>;

/** The largest values that are listed one by one. */
export const INVOICE_TAG_VALUES = 100;

const tagSums = {
  requests: z.int(),
  amountUsd: usdAmount.meta({ description: 'Exact.' }),
};

export const invoiceTags = z
  .object({
    key: tagKey,
    data: z
      .array(z.object({ value: z.string(), ...tagSums }))
      .meta({ description: `The largest amounts first, at most ${INVOICE_TAG_VALUES}.` }),
    valueCount: z.int().meta({ description: 'The number of all values, listed or not.' }),
    other: z.object(tagSums).meta({ description: 'All values that are not listed.' }),
    untagged: z.object(tagSums).meta({ description: 'Requests without the tag.' }),
    unattributed: z.object(tagSums).meta({
      description:
        'The rest of the invoice, whose records do not tell: removed by retention, adjustments of months more than a year before, or invoices of earlier releases.',
    }),
    totalUsd: usdAmount.meta({ description: "The invoice's exact total: the sum of all these." }),
  })
  .meta({ id: 'InvoiceTags' });
export type InvoiceTags = z.output<typeof invoiceTags>;

const tag = 'Invoices';
const root = '/api/organisations/:organisationId/invoices';
const one = `${root}/:invoiceId` as const;
const read = 'invoices.read';
const write = 'invoices.write';

const filters = { status: z.enum(INVOICE_STATUSES).optional(), month: month.optional() };

export const listInvoices = endpoint({
  id: 'listInvoices',
  tag,
  summary: 'Invoices of the organisation, newest month first',
  method: 'GET',
  path: root,
  access: read,
  query: listQuery(['month'], filters),
  response: page(invoice),
});

export const createInvoice = endpoint({
  id: 'createInvoice',
  tag,
  summary: 'Draft the invoice of a month from the booked usage',
  method: 'POST',
  path: root,
  access: write,
  body: z.strictObject({ month }).meta({ id: 'InvoiceCreate' }),
  response: invoice,
  status: 201,
});

export const getInvoice = endpoint({
  id: 'getInvoice',
  tag,
  summary: 'One invoice',
  method: 'GET',
  path: one,
  access: read,
  response: invoice,
  etag: true,
});

export const listInvoiceLines = endpoint({
  id: 'listInvoiceLines',
  tag,
  summary: 'Lines of an invoice: one for each month, team, key, and model or MCP server',
  method: 'GET',
  path: `${one}/lines`,
  access: read,
  query: listQuery(['id'], {}),
  response: page(invoiceLine),
});

export const getInvoiceTeams = endpoint({
  id: 'getInvoiceTeams',
  tag,
  summary: `Sums of an invoice by team, largest first: at most ${INVOICE_TEAMS}`,
  method: 'GET',
  path: `${one}/teams`,
  access: read,
  response: invoiceTeams,
});

export const getInvoiceTags = endpoint({
  id: 'getInvoiceTags',
  tag,
  summary: 'Sums of an invoice by the values of a tag, from the records that it bills',
  method: 'GET',
  path: `${one}/tags`,
  access: read,
  query: z.strictObject({ key: tagKey }),
  response: invoiceTags,
});

export const recomputeInvoice = endpoint({
  id: 'recomputeInvoice',
  tag,
  summary: 'Recompute a draft from the usage booked by now',
  method: 'POST',
  path: `${one}/recompute`,
  access: write,
  response: invoice,
  etag: true,
});

export const issueInvoice = endpoint({
  id: 'issueInvoice',
  tag,
  summary: 'Issue a draft permanently with the next number; refused if the draft is outdated',
  method: 'POST',
  path: `${one}/issue`,
  access: write,
  response: invoice,
  etag: true,
});

export const voidInvoice = endpoint({
  id: 'voidInvoice',
  tag,
  summary: 'Void an issued invoice: it keeps its number, and its usage can be billed again',
  method: 'POST',
  path: `${one}/void`,
  access: write,
  body: z.strictObject({ reason: z.string().trim().min(1).max(500) }).meta({ id: 'InvoiceVoid' }),
  response: invoice,
  etag: true,
});

export const deleteInvoice = endpoint({
  id: 'deleteInvoice',
  tag,
  summary: 'Delete a draft',
  method: 'DELETE',
  path: one,
  access: write,
});

export const exportInvoiceCsv = endpoint({
  id: 'exportInvoiceCsv',
  tag,
  summary: 'An invoice with its lines as CSV',
  method: 'GET',
  path: `${one}/csv`,
  access: read,
  response: z.string(),
  produces: 'text/csv',
});

export const exportInvoicePdf = endpoint({
  id: 'exportInvoicePdf',
  tag,
  summary: 'An invoice with its lines as PDF',
  method: 'GET',
  path: `${one}/pdf`,
  access: read,
  response: z.string(),
  produces: 'application/pdf',
});

export const listPlatformInvoices = endpoint({
  id: 'listPlatformInvoices',
  tag,
  summary: 'Invoices of all organisations, newest month first',
  method: 'GET',
  path: '/api/admin/invoices',
  access: 'platform.invoices.read',
  query: listQuery(['month'], { ...filters, organisationId: id.optional() }),
  response: page(invoice),
});
