import { formatUsd, rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { shownName } from '../../entities/freed-name';
import type { Call } from '../../rest/call';
import { namesOf, type Mention } from '../../rest/object-names';
import { idKey, readPage, type Paging } from '../../rest/paging';
import { InvoiceLine } from './invoice-line.entity';
import { find } from './invoices';

/** The lines of an invoice, one by one and by team. `compute-lines.ts` computes them. */

export async function lines(
  call: Call<typeof rest.listInvoiceLines>,
): Promise<rest.PageOf<rest.InvoiceLine>> {
  const { id } = await find(call.db, call.params);
  return pageOfLines(call.db, id, call.query);
}

/** Lines in the order of computation by default: by month, then by team. */
export async function pageOfLines(
  db: EntityManager,
  invoiceId: string,
  place: Omit<Paging<InvoiceLine>, 'id' | 'keys' | 'sort'> & { sort?: 'id' | '-id' | undefined },
): Promise<rest.PageOf<rest.InvoiceLine>> {
  const select = db
    .createQueryBuilder(InvoiceLine, 'line')
    .where('line.invoiceId = :invoiceId', { invoiceId });
  const id = idKey<InvoiceLine>('line.id');
  const { rows, ...page } = await readPage(select, {
    ...place,
    sort: place.sort ?? 'id',
    id,
    keys: { id },
  });
  return { data: await represent(db, rows), ...page };
}

async function represent(
  db: EntityManager,
  rows: readonly InvoiceLine[],
): Promise<rest.InvoiceLine[]> {
  // Of lines that an earlier release computed; names of others are read with the row.
  const nameOf = await namesOf(db, rows.flatMap(withoutNames));
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    month: row.month.slice(0, 7),
    description: row.description,
    teamId: row.teamId,
    team: row.teamName ?? nameOf('team', row.teamId),
    apiKeyId: row.apiKeyId,
    apiKey: row.apiKeyName ?? nameOf('apiKey', row.apiKeyId),
    modelId: row.modelId,
    model: row.modelName ?? nameOf('model', row.modelId),
    mcpServerId: row.mcpServerId,
    mcpServer: row.mcpServerName ?? nameOf('mcpServer', row.mcpServerId),
    requests: Number(row.requests),
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    amountUsd: formatUsd(row.amountNanoUsd),
  }));
}

function withoutNames(row: InvoiceLine): Mention[] {
  const mentions: Mention[] = [];
  if (row.teamName === null) mentions.push({ kind: 'team', id: row.teamId });
  if (row.apiKeyName === null) mentions.push({ kind: 'apiKey', id: row.apiKeyId });
  if (row.modelName === null) mentions.push({ kind: 'model', id: row.modelId });
  if (row.mcpServerName === null) mentions.push({ kind: 'mcpServer', id: row.mcpServerId });
  return mentions;
}

/** At most 50,000 lines (`MAX_LINES`) are summed. */
const TEAMS = `
  SELECT l.team_id AS "teamId", coalesce(max(l.team_name), max(t.name)) AS team,
    count(*) AS "lineCount", sum(l.requests)::text AS requests,
    sum(l.amount_nano_usd)::text AS amount, count(*) OVER () AS "teamCount"
  FROM invoice_line l LEFT JOIN team t ON t.id = l.team_id
  WHERE l.invoice_id = $1
  GROUP BY l.team_id ORDER BY sum(l.amount_nano_usd) DESC, l.team_id LIMIT $2`;

const teamRows = z.array(
  z.object({
    teamId: z.string().nullable(),
    team: z.string().nullable(),
    lineCount: z.coerce.number(),
    requests: z.string(),
    amount: z.string(),
    teamCount: z.coerce.number(),
  }),
);

export async function teams(call: Call<typeof rest.getInvoiceTeams>): Promise<rest.InvoiceTeams> {
  const { id } = await find(call.db, call.params);
  const rows = teamRows.parse(await call.db.query(TEAMS, [id, rest.INVOICE_TEAMS]));
  return {
    data: rows.map(({ teamId, team, lineCount, requests, amount }) => ({
      teamId,
      team: team && shownName(team, teamId),
      lineCount,
      requests: Number(requests),
      amountUsd: formatUsd(BigInt(amount)),
    })),
    teamCount: rows[0]?.teamCount ?? 0,
  };
}
