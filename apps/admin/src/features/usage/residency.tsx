'use client';

import { rest } from '@tollgate/contracts';
import { Download } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useState, type FormEvent } from 'react';

import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { Button, buttonClass } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { TextField } from '../../design/text-field';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { showTime } from '../../format/time';
import { REGIONS_TYPED } from '../../resource/regions-field';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { placeWords } from './group-name';
import { isTooLong, residencyQuestion, type ResidencyQuestion } from './residency-question';
import type { Usage } from './use-usage';

const VERDICTS: Readonly<Record<rest.ResidencyVerdict, { tone: Tone; words: string }>> = {
  INSIDE: { tone: 'good', words: 'inside' },
  NOT_SENT: { tone: 'good', words: 'nothing sent' },
  OUTSIDE: { tone: 'bad', words: 'outside' },
  UNKNOWN: { tone: 'warn', words: 'unknown' },
  NOT_RECORDED: { tone: 'warn', words: 'not recorded' },
};

/** Whether the requests of the page's period and filters stayed in regions. */
export function Residency({ usage }: { usage: Usage }) {
  const { id: organisationId } = useOrganisation();
  const search = useSearchParams();
  const settings = useRead(rest.getSettings, { params: { organisationId } });
  const given = search.get('regions');
  const usual = settings.data?.allowedRegions.join(', ') ?? '';
  const typed = given ?? usual;
  const question = residencyQuestion(organisationId, usage.state, typed);
  return (
    <>
      <RegionsForm key={typed} typed={typed} go={usage.go} />
      {isTooLong(usage.state) && (
        <p role="alert" className="text-bad">
          One report covers at most {rest.RESIDENCY_DAYS} days. Choose a shorter period.
        </p>
      )}
      {question !== undefined && <Report question={question} />}
    </>
  );
}

function RegionsForm({ typed, go }: { typed: string; go: Usage['go'] }) {
  const [regions, setRegions] = useState(typed);
  const show = (event: FormEvent): void => {
    event.preventDefault();
    go({ regions: regions.trim() === '' ? undefined : regions.trim() });
  };
  return (
    <form onSubmit={show} className="flex max-w-xl flex-wrap items-end gap-3">
      <div className="min-w-64 grow">
        <TextField
          label="Did all requests stay in"
          hint="One or more regions, for example eu, eu-west-1."
          value={regions}
          onChange={setRegions}
          spellCheck={false}
          maxLength={REGIONS_TYPED}
        />
      </div>
      <Button type="submit" look="primary">
        Show report
      </Button>
    </form>
  );
}

function Report({ question }: { question: ResidencyQuestion }) {
  const { id: organisationId } = useOrganisation();
  const { query, csv, ignored } = question;
  const { data, error, refetch } = useRead(rest.getResidencyReport, {
    params: { organisationId },
    query,
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows label="Loading the report" />;
  return (
    <>
      {ignored.length > 0 && (
        <p className="text-ink-soft">This report ignores the filters by {ignored.join(' and ')}.</p>
      )}
      <Answer report={data} csv={csv} />
      <Counts report={data} />
      {data.records.length > 0 && <NotInside report={data} />}
    </>
  );
}

function Answer({ report, csv }: { report: rest.ResidencyReport; csv: string }) {
  const { timeZone } = useOrganisation();
  const { totals, recordsFrom, regions, stayed } = report;
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0);
  const of = regions.join(', ');
  const clauses = [
    [totals.OUTSIDE ?? 0, `outside of ${of}`],
    [totals.UNKNOWN ?? 0, 'in an unknown region'],
    [totals.NOT_RECORDED ?? 0, 'from before regions were recorded'],
  ] as const;
  const open = clauses.filter(([count]) => count > 0);
  return (
    <Card title="Answer">
      <p role="status" className="text-lg font-medium">
        {all === 0
          ? 'There are no booked requests in this period.'
          : stayed
            ? `All requests stayed in ${of}: ${showCount(all)}.`
            : (totals.OUTSIDE ?? 0) > 0
              ? `Not all requests stayed in ${of}.`
              : `It is not proved that all requests stayed in ${of}.`}
      </p>
      {open.map(([count, words]) => (
        <p key={words}>
          {showCount(count)} of {showCount(all)} requests: {words}.
        </p>
      ))}
      {recordsFrom !== null && Date.parse(recordsFrom) > Date.parse(report.from) && (
        <p>
          Records before {showTime(recordsFrom, 'moment', timeZone)} have been removed, so nothing
          can be said about them.
        </p>
      )}
      <p className="mt-2 text-sm text-ink-soft">
        Counts booked requests. Running requests, and calls of screening services, are not among
        them.
      </p>
      <a href={csv} download className={`${buttonClass({})} mt-3`}>
        <Download aria-hidden />
        Download CSV
      </a>
    </Card>
  );
}

type Count = rest.ResidencyReport['counts'][number];

function Counts({ report }: { report: rest.ResidencyReport }) {
  const { timeZone } = useOrganisation();
  const columns: readonly Column<Count>[] = [
    {
      title: 'Regions',
      cell: ({ regions }) => placeWords(regions),
    },
    { title: 'Verdict', cell: ({ verdict }) => <Verdict of={verdict} /> },
    { title: 'Requests', align: 'right', cell: ({ requests }) => showCount(requests) },
    { title: 'Cost', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
    {
      title: 'First',
      from: 'md',
      align: 'right',
      cell: ({ firstAt }) => <When instant={firstAt} timeZone={timeZone} />,
    },
    {
      title: 'Last',
      from: 'md',
      align: 'right',
      cell: ({ lastAt }) => <When instant={lastAt} timeZone={timeZone} />,
    },
  ];
  if (report.counts.length === 0) return null;
  return (
    <Card title="Requests by region" flush>
      <Table
        caption="Requests by region"
        columns={columns}
        rows={report.counts}
        keyOf={({ regions, verdict }) => `${regions ?? ''} ${verdict}`}
      />
    </Card>
  );
}

type Found = rest.ResidencyReport['records'][number];

function NotInside({ report }: { report: rest.ResidencyReport }) {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  const columns: readonly Column<Found>[] = [
    {
      title: 'Request',
      cell: ({ id, authorisedAt }) => (
        <Link
          href={pageOf(scope, `usage/${id}`)}
          className="text-accent underline-offset-4 hover:underline"
        >
          <time dateTime={authorisedAt} className="whitespace-nowrap tabular-nums">
            {showTime(authorisedAt, 'moment', timeZone)}
          </time>
        </Link>
      ),
    },
    { title: 'Verdict', cell: ({ verdict }) => <Verdict of={verdict} /> },
    {
      title: 'Regions',
      cell: ({ regions }) => placeWords(regions),
    },
    { title: 'Model', from: 'sm', cell: ({ model, operation }) => model || operation },
    {
      title: 'API key',
      from: 'md',
      cell: ({ apiKeyId }) => <ScopeName scope={{ type: 'API_KEY', id: apiKeyId }} bare />,
    },
  ];
  const more = report.moreRecords ? ', the first ones; the CSV has all' : '';
  return (
    <Card title="Not inside" hint={`oldest first${more}`} flush>
      <Table caption="Not inside" columns={columns} rows={report.records} keyOf={({ id }) => id} />
    </Card>
  );
}

function Verdict({ of }: { of: rest.ResidencyVerdict }) {
  const { tone, words } = VERDICTS[of];
  return <Badge tone={tone}>{words}</Badge>;
}
