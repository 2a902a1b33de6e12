'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { When } from '../../design/when';
import { plural } from '../../format/numbers';
import { DetailPage } from '../../resource/detail-page';
import { pageOf } from '../../shell/paths';
import { useMay, useScope, useTimeZone } from '../../shell/scope';
import { IdentitiesCard, issuerName } from '../account/identities-card';
import { SessionsCard } from '../account/sessions-card';
import { OwnerSummary } from '../usage/owner-summary';
import { UsageLink } from '../usage/usage-link';
import { endSessions, userActions, UserWindows, type UserWindow } from './user-actions';
import {
  STALE_IDENTITIES,
  STALE_SESSIONS,
  useUser,
  useUserCalls,
  useUserIdentities,
  useUserSessions,
} from './user-calls';
import { OrganisationOf, RoleBadge, UserStatus } from './user-columns';

/** A user: profile, teams, identities and sessions. */
export function User({ userId }: { userId: string }) {
  const { me } = useScope();
  const read = useUser(userId);
  const mayWrite = useMay('users.write');
  const maySeeSessions = useMay('sessions.read');
  const maySeeIdentities = useMay('identities.read');
  const [window, setWindow] = useState<UserWindow>();
  return (
    <DetailPage
      noun="User"
      read={read}
      title={({ name }) => name}
      description={({ email }) => email}
      links={<UsageLink of={{ userId }} />}
      actions={read.data === undefined || !mayWrite ? [] : userActions(read.data, me, setWindow)}
      windows={<UserWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <About user={data} />
          <OwnerSummary of={{ userId }} />
          <Teams user={data} />
          {maySeeIdentities && <Identities user={data} />}
          {maySeeSessions && <Sessions user={data} />}
        </>
      )}
    </DetailPage>
  );
}

function About({ user }: { user: rest.User }) {
  const { platform } = useScope();
  const timeZone = useTimeZone();
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <UserStatus status={user.status} /> },
          { name: 'Role', value: <RoleBadge role={user.role} /> },
          ...(platform
            ? [
                {
                  name: 'Organisation',
                  value: <OrganisationOf organisationId={user.organisationId} page="users" />,
                },
              ]
            : []),
          {
            name: 'Last sign-in',
            value: <When instant={user.lastLoginAt} timeZone={timeZone} format="moment" />,
          },
          { name: 'Created', value: <When instant={user.createdAt} timeZone={timeZone} /> },
          {
            name: 'Id',
            value: <code className="font-mono text-sm break-all">{user.id}</code>,
          },
        ]}
      />
    </Card>
  );
}

const TEAMS_SHOWN = 100;

function Teams({ user: { id: userId, organisationId } }: { user: rest.User }) {
  const scope = useScope();
  const inOrganisation = organisationId !== null;
  const params = { organisationId: organisationId ?? '' };
  const { data, error, refetch } = useRead(
    rest.listTeams,
    { params, query: { userId, limit: TEAMS_SHOWN } },
    { enabled: inOrganisation },
  );
  const home = useRead(
    rest.getOrganisation,
    { params },
    { enabled: inOrganisation && scope.platform },
  );
  if (!inOrganisation) return null;
  const organisation = scope.platform ? (home.data ?? null) : scope.organisation;
  return (
    <Card title="Teams">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows rows={2} label="Loading the teams" />}
      {data?.data.length === 0 && <p className="text-ink-soft">Not a member of any team.</p>}
      {data !== undefined && data.data.length > 0 && (
        <ul className="flex flex-wrap gap-x-6 gap-y-2">
          {data.data.map(({ id, name, memberCount }) => (
            <li key={id}>
              <Link
                href={pageOf({ platform: scope.platform, organisation }, `teams/${id}`)}
                className="text-accent underline-offset-4 hover:underline"
              >
                {name}
              </Link>{' '}
              <span className="text-sm text-ink-faint">{plural(memberCount, 'member')}</span>
            </li>
          ))}
          {data.nextCursor !== null && <li className="text-ink-faint">and more</li>}
        </ul>
      )}
    </Card>
  );
}

function Identities({ user: { id: userId, name } }: { user: rest.User }) {
  const calls = useUserCalls();
  const read = useUserIdentities(userId);
  const mayUnlink = useMay('identities.write');
  return (
    <IdentitiesCard
      hint="Identity providers they can sign in with."
      only="Their only way to sign in"
      read={read}
      {...(mayUnlink
        ? {
            unlink: ({ id, issuer }: rest.UserIdentity) => ({
              title: `Unlink ${issuerName(issuer)} from ${name}?`,
              consequence:
                'Their sessions that started there end. Signing in there again with their email address links it again. To keep them out, disable the user.',
              confirm: 'Unlink',
              run: () => calls.unlinkIdentity(userId, id),
              stale: STALE_IDENTITIES,
              done: `${name} unlinked from ${issuerName(issuer)}.`,
            }),
          }
        : {})}
    />
  );
}

function Sessions({ user }: { user: rest.User }) {
  const calls = useUserCalls();
  const read = useUserSessions(user.id, true);
  const mayEnd = useMay('sessions.write');
  return (
    <SessionsCard
      title="Sessions"
      read={read}
      endAll={endSessions(user, calls)}
      {...(mayEnd
        ? {
            endOne: ({ id }: rest.UserSession) => ({
              title: `End this session of ${user.name}?`,
              consequence: 'That browser must sign in again.',
              confirm: 'End session',
              run: () => calls.endSession(user.id, id),
              stale: STALE_SESSIONS,
              done: 'Session ended.',
            }),
          }
        : {})}
    />
  );
}
