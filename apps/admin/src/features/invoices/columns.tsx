'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ORGANISATION_PARAMETER, pageOf, paths } from '../../shell/paths';
import { useScope, useTimeZone } from '../../shell/scope';
import { ORGANISATIONS_QUERY } from '../usage/queries';
import { monthName } from './month';

const TONES: Record<rest.Invoice['status'], { tone: Tone; words: string }> = {
  DRAFT: { tone: 'accent', words: 'draft' },
  ISSUED: { tone: 'good', words: 'issued' },
  VOID: { tone: 'neutral', words: 'void' },
};

export function InvoiceStatus({ status }: { status: rest.Invoice['status'] }) {
  const { tone, words } = TONES[status];
  return <Badge tone={tone}>{words}</Badge>;
}

/** Organisations by id, for lists of several organisations' invoices: the first ones by name. */
function useOrganisations(): ReadonlyMap<string, rest.Organisation> | undefined {
  const { organisation } = useScope();
  const { data } = useRead(
    rest.listOrganisations,
    { query: ORGANISATIONS_QUERY },
    { enabled: organisation === null },
  );
  return useMemo(() => data && new Map(data.data.map((one) => [one.id, one])), [data]);
}

/** The link to an invoice's page; undefined when its organisation is unknown. */
export function useInvoiceHref(): (invoice: rest.Invoice) => string | undefined {
  const scope = useScope();
  const organisations = useOrganisations();
  return ({ id, organisationId }) => {
    if (scope.organisation !== null) return pageOf(scope, `invoices/${id}`);
    const slug = organisations?.get(organisationId)?.slug;
    return (
      slug &&
      `${paths.platform(`invoices/${id}`)}?${ORGANISATION_PARAMETER}=${encodeURIComponent(slug)}`
    );
  };
}

export function useInvoiceColumns(): readonly ListColumn<rest.Invoice>[] {
  const { organisation } = useScope();
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.Invoice>[]>(
    () => [
      { title: 'Month', sort: 'month', cell: (invoice) => <MonthLink invoice={invoice} /> },
      ...(organisation === null ? [organisationColumn] : []),
      {
        title: 'Number',
        from: 'sm',
        cell: ({ number }) =>
          number === null ? (
            <span className="text-ink-faint">when issued</span>
          ) : (
            <span className="tabular-nums">{number}</span>
          ),
      },
      { title: 'Status', cell: ({ status }) => <InvoiceStatus status={status} /> },
      {
        title: 'Lines',
        align: 'right',
        from: 'md',
        cell: ({ lineCount }) => showCount(lineCount),
      },
      { title: 'Due', align: 'right', cell: ({ dueUsd }) => showUsd(dueUsd) },
      {
        title: 'Issued',
        align: 'right',
        from: 'lg',
        cell: ({ issuedAt }) => <When instant={issuedAt} timeZone={timeZone} never="not yet" />,
      },
      {
        title: 'Voided',
        align: 'right',
        hidden: true,
        cell: ({ voidedAt }) => <When instant={voidedAt} timeZone={timeZone} never="—" />,
      },
      {
        title: 'Computed',
        align: 'right',
        hidden: true,
        cell: ({ updatedAt }) => <When instant={updatedAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [organisation, timeZone],
  );
}

const organisationColumn: ListColumn<rest.Invoice> = {
  title: 'Organisation',
  cell: ({ organisationId }) => <OrganisationName organisationId={organisationId} />,
};

function OrganisationName({ organisationId }: { organisationId: string }) {
  const found = useOrganisations()?.get(organisationId);
  return <span className="break-words">{found?.name ?? organisationId.slice(0, 8)}</span>;
}

function MonthLink({ invoice }: { invoice: rest.Invoice }) {
  const href = useInvoiceHref()(invoice);
  const name = monthName(invoice.month);
  if (href === undefined) return name;
  return (
    <Link href={href} className="whitespace-nowrap text-accent underline-offset-4 hover:underline">
      {name}
    </Link>
  );
}
