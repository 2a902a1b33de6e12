'use client';

import { rest } from '@tollgate/contracts';
import { Building2 } from 'lucide-react';
import { useSearchParams } from 'next/navigation';

import { useRead } from '../../api/provider';
import { LinkButton } from '../../design/button';
import { Empty } from '../../design/empty';
import { Page } from '../../design/page';
import { Skeleton } from '../../design/skeleton';
import { type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { showTime } from '../../format/time';
import { TableCard } from '../../resource/table-card';
import { paths } from '../../shell/paths';
import { actionWords } from '../audit/changes';
import { OrganisationLink } from '../organisations/organisations';
import { NEWEST } from '../organisations/queries';
import { PlatformSetupCard } from '../setup/setup-card';
import { asQuery, rangeOf, RANGES, spanOfRange } from '../usage/range';
import { RangeChoice } from './range-choice';
import { ServiceHealth } from './service-health';
import { Usage } from './usage';
import { WhatPlatformNeeds } from './what-needs-you';

/** The platform's dashboard: health, usage, newest organisations, latest changes. */
export function PlatformDashboard({ nowMs }: { nowMs: number }) {
  const range = rangeOf(useSearchParams().get('range'));
  return (
    <Page
      title="Dashboard"
      description={`All organisations in ${RANGES[range].words}, days in UTC`}
      actions={<RangeChoice range={range} />}
    >
      <PlatformSetupCard />
      <ServiceHealth />
      <WhatPlatformNeeds nowMs={nowMs} />
      <Usage range={range} nowMs={nowMs} />
      <Newest nowMs={nowMs} />
      <Changes />
    </Page>
  );
}

function Newest({ nowMs }: { nowMs: number }) {
  const read = useRead(rest.listOrganisations, { query: NEWEST });
  const columns: Column<rest.Organisation>[] = [
    {
      title: 'Organisation',
      cell: (organisation) => <OrganisationLink organisation={organisation} />,
    },
    {
      title: 'Requests',
      align: 'right',
      cell: (organisation) => <Used organisation={organisation} nowMs={nowMs} what="requests" />,
    },
    {
      title: 'Cost',
      align: 'right',
      cell: (organisation) => <Used organisation={organisation} nowMs={nowMs} what="cost" />,
    },
  ];
  return (
    <TableCard
      title="Newest organisations"
      hint="with their usage in the last 30 days"
      action={
        <LinkButton size="small" href={paths.platform('organisations')}>
          All organisations
        </LinkButton>
      }
      read={read}
      loading="Loading organisations"
      caption="Newest organisations"
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <Empty icon={Building2} title="No organisations yet">
          Create the first one on the Organisations page.
        </Empty>
      }
    />
  );
}

interface UsedProps {
  readonly organisation: rest.Organisation;
  readonly nowMs: number;
  readonly what: 'requests' | 'cost';
}

/** Both columns share one request. */
function Used({ organisation, nowMs, what }: UsedProps) {
  const { from, to } = asQuery(spanOfRange('30d', nowMs, organisation.timeZone));
  const { data, error } = useRead(rest.getUsageRollup, {
    params: { organisationId: organisation.id },
    query: { from, to, bucket: 'total' },
  });
  if (error !== null) return <span title={error.message}>—</span>;
  if (data === undefined) return <Skeleton className="ml-auto h-4 w-14" />;
  const [row] = data.data;
  if (what === 'cost') return showUsd(row?.costUsd ?? '0');
  return showCount(row?.requests ?? 0);
}

const CHANGE_COLUMNS: readonly Column<rest.AuditEvent>[] = [
  {
    title: 'Time',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} className="font-normal whitespace-nowrap tabular-nums">
        {showTime(createdAt, 'moment', 'UTC')}
      </time>
    ),
  },
  { title: 'Action', cell: ({ action }) => actionWords(action) },
  {
    title: 'By',
    from: 'sm',
    cell: ({ actor }) => <span className="text-ink-soft">{actor.email ?? 'system'}</span>,
  },
];

function Changes() {
  const read = useRead(rest.listPlatformAuditEvents, { query: NEWEST });
  return (
    <TableCard
      title="Latest changes"
      hint="times in UTC"
      read={read}
      loading="Loading changes"
      caption="Latest changes"
      columns={CHANGE_COLUMNS}
      keyOf={({ id }) => id}
      empty={<p className="p-4 text-ink-soft">No changes recorded yet.</p>}
    />
  );
}
