'use client';

import { rest } from '@tollgate/contracts';
import { FileDown, FileSpreadsheet, ReceiptText } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { buttonClass } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import type { Column } from '../../design/table';
import { When } from '../../design/when';
import { showExactUsd, showUsd } from '../../format/money';
import { plural, showCount, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import type { ListColumn } from '../../resource/columns-menu';
import { DetailPage } from '../../resource/detail-page';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { TableCard } from '../../resource/table-card';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { InvoiceStatus } from './columns';
import { fileOf, invoiceActions, InvoiceWindows, type InvoiceWindow } from './invoice-actions';
import { monthName } from './month';
import { TagSums } from './tag-sums';

/** An invoice with its lines and actions. */
export function InvoicePage({ invoiceId }: { invoiceId: string }) {
  const { id: organisationId, name } = useOrganisation();
  const scope = useScope();
  const router = useRouter();
  const mayWrite = useMay('invoices.write');
  const read = useRead(rest.getInvoice, {
    params: { organisationId, invoiceId },
  });
  const [window, setWindow] = useState<InvoiceWindow>();
  const { data } = read;
  const changes =
    data === undefined
      ? []
      : invoiceActions({
          invoice: data,
          mayWrite,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'invoices')),
        }).filter(({ label }) => !label.startsWith('Download'));
  return (
    <DetailPage
      noun="Invoice"
      read={read}
      title={({ month, number }) => `${monthName(month)}${number === null ? '' : ` · ${number}`}`}
      description={() => `Invoice of ${name}`}
      links={data !== undefined && <Files invoice={data} />}
      actions={changes}
      primary="Issue"
      buttons={2}
      windows={<InvoiceWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(invoice) => (
        <>
          <About invoice={invoice} mayWrite={mayWrite} />
          <Teams invoice={invoice} />
          <TagSums invoice={invoice} />
          <Lines invoice={invoice} />
        </>
      )}
    </DetailPage>
  );
}

function Files({ invoice }: { invoice: rest.Invoice }) {
  return (
    <>
      <a href={fileOf(invoice, 'pdf')} download className={buttonClass({})}>
        <FileDown aria-hidden />
        PDF
      </a>
      <a href={fileOf(invoice, 'csv')} download className={buttonClass({})}>
        <FileSpreadsheet aria-hidden />
        CSV
      </a>
    </>
  );
}

function About({ invoice, mayWrite }: { invoice: rest.Invoice; mayWrite: boolean }) {
  const { timeZone, status, startsAt, endsAt, issuedAt, voidedAt, voidReason } = invoice;
  const moment = (instant: string): string =>
    `${showTime(instant, 'date', timeZone)}, ${showTime(instant, 'hour', timeZone)}`;
  const rounded = Number(invoice.roundingUsd) !== 0;
  return (
    <Card title="About">
      {status === 'DRAFT' && (
        <p className="mb-4 text-ink-soft">
          This is a draft. Refresh it to include what was booked since.
          {!mayWrite && ' The platform’s administrators refresh and issue it.'}
        </p>
      )}
      <Facts
        facts={[
          { name: 'Due', value: <strong className="text-lg">{showUsd(invoice.dueUsd)}</strong> },
          { name: 'Status', value: <InvoiceStatus status={status} /> },
          { name: 'Made out to', value: <Recipient invoice={invoice} /> },
          { name: 'Number', value: invoice.number ?? 'assigned when issued' },
          { name: 'From', value: moment(startsAt) },
          { name: 'Until', value: `${moment(endsAt)} (${timeZone})` },
          {
            name: 'Exact sum of the lines',
            value: (
              <span className="tabular-nums">
                {showExactUsd(invoice.totalUsd)}
                {rounded && (
                  <span className="text-ink-faint">
                    {' '}
                    plus {showExactUsd(invoice.roundingUsd)} rounding
                  </span>
                )}
              </span>
            ),
          },
          {
            name: status === 'DRAFT' ? 'Computed' : 'Issued',
            value: (
              <When
                instant={status === 'DRAFT' ? invoice.updatedAt : issuedAt}
                timeZone={timeZone}
                format="moment"
              />
            ),
          },
          ...(voidedAt === null
            ? []
            : [
                {
                  name: 'Voided',
                  value: <When instant={voidedAt} timeZone={timeZone} format="moment" />,
                },
                { name: 'Reason', value: voidReason ?? '—' },
              ]),
        ]}
      />
    </Card>
  );
}

function Recipient({ invoice: { billingName, billingAddress, taxNumber } }: InvoiceOnly) {
  const { name } = useOrganisation();
  return (
    <>
      <span className="block wrap-anywhere">{billingName === '' ? name : billingName}</span>
      {billingAddress !== '' && (
        <span className="block wrap-anywhere whitespace-pre-line">{billingAddress}</span>
      )}
      {taxNumber !== '' && <span className="block wrap-anywhere">Tax number {taxNumber}</span>}
    </>
  );
}

interface InvoiceOnly {
  readonly invoice: rest.Invoice;
}

type TeamSum = rest.InvoiceTeams['data'][number];

const TEAM_COLUMNS: readonly Column<TeamSum>[] = [
  {
    title: 'Team',
    cell: ({ teamId, team }) => (teamId === null ? 'Without a team' : (team ?? teamId)),
  },
  { title: 'Lines', align: 'right', from: 'sm', cell: ({ lineCount }) => showCount(lineCount) },
  { title: 'Requests', align: 'right', from: 'sm', cell: ({ requests }) => showCount(requests) },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amountUsd }) => <span className="tabular-nums">{showExactUsd(amountUsd)}</span>,
  },
];

function Teams({ invoice: { id: invoiceId, organisationId } }: InvoiceOnly) {
  const read = useRead(rest.getInvoiceTeams, { params: { organisationId, invoiceId } });
  const { data } = read;
  const cut = data !== undefined && data.teamCount > data.data.length;
  return (
    <TableCard
      title="By team"
      hint={
        cut
          ? `the ${showCount(data.data.length)} largest of ${showCount(data.teamCount)}`
          : undefined
      }
      read={read}
      loading="Loading the teams"
      caption="Sums by team"
      columns={TEAM_COLUMNS}
      keyOf={({ teamId }) => teamId ?? 'none'}
      empty={<p className="p-4 text-ink-soft">Nothing was booked in this month.</p>}
    />
  );
}

const COLUMNS: readonly ListColumn<rest.InvoiceLine>[] = [
  {
    title: 'What',
    cell: ({ description, kind, month }) => (
      <>
        <span className="block break-words">{description}</span>
        {kind === 'ADJUSTMENT' && (
          <span className="block text-sm font-normal text-ink-faint">
            correction of {monthName(month)}
          </span>
        )}
      </>
    ),
  },
  {
    title: 'Requests',
    align: 'right',
    from: 'sm',
    cell: ({ requests }) => showCount(requests),
  },
  {
    title: 'Tokens in',
    align: 'right',
    from: 'md',
    cell: ({ tokensIn }) => <span title={showCount(tokensIn)}>{showShort(tokensIn)}</span>,
  },
  {
    title: 'Tokens out',
    align: 'right',
    from: 'md',
    cell: ({ tokensOut }) => <span title={showCount(tokensOut)}>{showShort(tokensOut)}</span>,
  },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amountUsd }) => <span className="tabular-nums">{showExactUsd(amountUsd)}</span>,
  },
];

function Lines({ invoice }: { invoice: rest.Invoice }) {
  const { id: invoiceId, organisationId, lineCount } = invoice;
  return (
    <section aria-labelledby="lines" className="flex flex-col gap-3">
      <h2 id="lines" className="font-semibold">
        {plural(lineCount, 'line')}
      </h2>
      <ResourceList
        title="Lines"
        source={sourceOf(rest.listInvoiceLines, { organisationId, invoiceId })}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        nameOf={({ description }) => description}
        empty={
          <Empty icon={ReceiptText} title="Nothing to bill">
            Nothing was booked in this month. Refresh the draft to include what was booked since.
          </Empty>
        }
      />
    </section>
  );
}
