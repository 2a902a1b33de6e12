'use client';

import { rest } from '@tollgate/contracts';
import { Building2, SearchX } from 'lucide-react';
import Link from 'next/link';
import { useCallback } from 'react';
import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { Empty } from '../../design/empty';
import { Failure } from '../../design/failure';
import { Page } from '../../design/page';
import { Pager } from '../../design/pager';
import { SearchBox } from '../../design/search-box';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { useListQuery } from '../../design/use-list-query';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { paths } from '../../shell/paths';
import { organisationsQuery } from './queries';

const TONES: Record<rest.OrganisationStatus, Tone> = {
  ACTIVE: 'good',
  SUSPENDED: 'warn',
  ARCHIVED: 'neutral',
};

/** The tenants of the platform; opening one leads to its own pages. */
export function Organisations() {
  const list = useListQuery();
  const { get, set } = list;
  const setSearch = useCallback((value: string | undefined) => set('search', value), [set]);
  const query = organisationsQuery(get);
  const { data, error, refetch, isPlaceholderData } = useRead(
    rest.listOrganisations,
    { query },
    { keep: true },
  );
  return (
    <Page title="Organisations" description="The tenants of this gateway.">
      <div className="overflow-hidden rounded-lg border bg-surface">
        <search className="flex border-b p-3">
          <SearchBox label="Search name or slug" value={get('search')} onChange={setSearch} />
        </search>
        {error !== null && (
          <div className="p-4">
            <Failure error={error} onRetry={() => void refetch()} />
          </div>
        )}
        {error === null && data === undefined && <SkeletonRows label="Loading organisations" />}
        {data?.data.length === 0 && <Nothing filtered={get('search') !== undefined} />}
        {data !== undefined && data.data.length > 0 && (
          <>
            <Table
              caption="Organisations"
              columns={COLUMNS}
              rows={data.data}
              keyOf={({ id }) => id}
              stale={isPlaceholderData}
            />
            <Pager
              shown={data.data.length}
              onPrevious={list.onPrevious}
              onNext={list.onNext(data.nextCursor)}
            />
          </>
        )}
      </div>
    </Page>
  );
}

const COLUMNS: readonly Column<rest.Organisation>[] = [
  { title: 'Name', cell: (organisation) => <OrganisationLink organisation={organisation} /> },
  {
    title: 'Status',
    cell: ({ status }) => <Badge tone={TONES[status]}>{sentence(status)}</Badge>,
  },
  {
    title: 'Slug',
    from: 'sm',
    cell: ({ slug }) => <span className="font-mono text-sm text-ink-soft">{slug}</span>,
  },
  {
    title: 'Time zone',
    from: 'md',
    cell: ({ timeZone }) => <span className="text-ink-soft">{timeZone}</span>,
  },
  {
    title: 'Created',
    align: 'right',
    from: 'md',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} className="whitespace-nowrap text-ink-soft">
        {showTime(createdAt, 'date', 'UTC')}
      </time>
    ),
  },
];

export function OrganisationLink({ organisation }: { organisation: rest.Organisation }) {
  return (
    <Link
      href={paths.organisation(organisation.slug, 'dashboard')}
      className="font-medium text-accent underline-offset-4 hover:underline"
    >
      {organisation.name}
    </Link>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon={SearchX} title="No organisation fits">
        Change the search.
      </Empty>
    );
  }
  return (
    <Empty icon={Building2} title="No organisations yet">
      Create the first with <code className="font-mono text-sm">POST /api/admin/organisations</code>
      .
    </Empty>
  );
}
