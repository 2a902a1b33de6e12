'use client';

import { rest, splitName } from '@tollgate/contracts';
import Link from 'next/link';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { showCost } from '../../format/money';
import { plural, showCount, showDuration, showPart } from '../../format/numbers';
import { useOrganisation } from '../../shell/scope';
import { shownName } from './group-name';
import type { Usage } from './use-usage';

type Session = rest.UsageSession;
type Agent = Session['agents'][number];

interface SessionCardProps {
  readonly usage: Usage;
  /** As an agent names it, or as records have it. */
  readonly session: string;
}

/** What a session of a coding agent has cost. Its requests are in the list below, in order. */
export function SessionCard({ usage, session }: SessionCardProps) {
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.listUsageSessions, {
    params: { organisationId },
    query: { session },
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows label="Loading the session" />;
  const exact = data.data.find((found) => found.session === session);
  const others = data.data.filter((found) => found !== exact);
  return (
    <Card
      title="Session"
      hint={`${shownName(session)}, whatever the period`}
      action={
        exact && (
          <Link
            href={usage.hrefOf({ tab: 'requests', sort: 'authorisedAt', range: '12m' })}
            className="text-sm text-accent underline-offset-4 hover:underline"
          >
            Its requests in order
          </Link>
        )
      }
    >
      {data.data.length === 0 && <p>No request has this session.</p>}
      {exact && <Summary session={exact} />}
      {others.length > 0 && <Alike usage={usage} sessions={others} also={exact !== undefined} />}
    </Card>
  );
}

interface AlikeProps {
  readonly usage: Usage;
  readonly sessions: readonly Session[];
  /** Whether they are listed below a session. */
  readonly also: boolean;
}

/** Sessions of this name that count within a key. */
function Alike({ usage, sessions, also }: AlikeProps) {
  return (
    <ul className={also ? 'mt-4 flex flex-col gap-2' : 'flex flex-col gap-2'}>
      {also && <li className="text-ink-soft">Sessions of the same name within one API key:</li>}
      {sessions.map(({ session, requests, costUsd }) => (
        <li key={session}>
          <Link
            href={usage.hrefOf({ session })}
            className="break-all text-accent underline-offset-4 hover:underline"
          >
            {shownName(session)}
          </Link>{' '}
          {plural(requests, 'request')}, {showCost(costUsd)}
        </li>
      ))}
    </ul>
  );
}

const COLUMNS: readonly Column<Agent>[] = [
  {
    title: 'Agent',
    cell: ({ agentId, agentType }) => (
      <span className="break-all">
        {agentId === null ? 'Main agent' : (agentType ?? 'Subagent')}
        {agentId !== null && <span className="text-ink-soft"> {agentId}</span>}
      </span>
    ),
  },
  { title: 'Requests', align: 'right', cell: ({ requests }) => showCount(requests) },
  { title: 'Cached input', align: 'right', cell: cacheShare },
  { title: 'Cost', align: 'right', cell: ({ costUsd }) => showCost(costUsd) },
];

function Summary({ session }: { session: Session }) {
  const { agents, costUsd, errors, firstAt, lastAt, moreAgents, requests } = session;
  const { apiKeyId } = splitName(session.session);
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          { name: 'Cost', value: showCost(costUsd) },
          { name: 'Requests', value: `${showCount(requests)}, ${showCount(errors)} failed` },
          { name: 'Cached input', value: cacheShare(session) },
          { name: 'Duration', value: showDuration(Date.parse(lastAt) - Date.parse(firstAt)) },
          { name: 'Counts within', value: apiKeyId === null ? 'the organisation' : 'its API key' },
        ]}
      />
      {moreAgents > 0 && (
        <p className="text-ink-soft">
          {plural(moreAgents, 'more agent')} not listed; the sums include them.
        </p>
      )}
      {agents.length > 1 && (
        <Table
          caption="Agents of the session"
          rows={agents}
          columns={COLUMNS}
          keyOf={({ agentId }) => agentId ?? ''}
        />
      )}
    </div>
  );
}

function cacheShare({ cacheReadTokens, tokensIn }: Agent | Session): string {
  return tokensIn === 0 ? '—' : showPart(cacheReadTokens / tokensIn);
}
