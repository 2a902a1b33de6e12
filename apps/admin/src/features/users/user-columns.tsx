import { rest, type Role } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ORGANISATION_PARAMETER, pageOf, paths, withQuery } from '../../shell/paths';
import { useScope, useTimeZone } from '../../shell/scope';

const STATUS_TONES: Record<rest.UserStatus, Tone> = { ACTIVE: 'good', DISABLED: 'warn' };
const LINK = 'text-accent underline-offset-4 hover:underline';

/** An email address that wraps before the @. */
export function Email({ of }: { of: string }) {
  const at = of.lastIndexOf('@');
  return (
    <span className="block text-xs font-normal wrap-anywhere text-ink-faint">
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </span>
  );
}

/** As either list has it: only that of an organisation has what its users have spent. */
type Listed = rest.User & { readonly spentUsd?: string };

export function useUserColumns(): readonly ListColumn<Listed>[] {
  const scope = useScope();
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<Listed>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name, email }) => (
          <>
            <Link href={pageOf(scope, `users/${id}`)} className={`block break-words ${LINK}`}>
              {name}
            </Link>
            <Email of={email} />
          </>
        ),
      },
      ...(scope.platform && scope.organisation === null
        ? [
            {
              title: 'Organisation',
              from: 'md' as const,
              cell: ({ organisationId }: Listed) => (
                <OrganisationOf organisationId={organisationId} page="users" />
              ),
            },
          ]
        : []),
      ...(scope.platform
        ? []
        : [
            {
              title: 'Spend this month',
              sort: 'spentUsd',
              align: 'right' as const,
              cell: ({ spentUsd = '0' }: Listed) => showUsd(spentUsd),
            },
          ]),
      { title: 'Role', from: 'sm', cell: ({ role }) => <RoleBadge role={role} /> },
      { title: 'Status', cell: ({ status }) => <UserStatus status={status} /> },
      {
        title: 'Last sign-in',
        from: 'md',
        align: 'right',
        cell: ({ lastLoginAt }) => <When instant={lastLoginAt} timeZone={timeZone} />,
      },
      {
        title: 'Created',
        sort: 'createdAt',
        hidden: true,
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}

export function UserStatus({ status }: { status: rest.UserStatus }) {
  return <Badge tone={STATUS_TONES[status]}>{sentence(status)}</Badge>;
}

export function RoleBadge({ role }: { role: Role }) {
  const above = rest.reachesOrganisation(rest.reachOf(role, 'users.write'));
  return <Badge tone={above ? 'accent' : 'neutral'}>{sentence(role)}</Badge>;
}

interface OrganisationOfProps {
  readonly organisationId: string | null;
  readonly page: string;
}

/** An organisation's name, which filters the platform's page by it. */
export function OrganisationOf({ organisationId, page }: OrganisationOfProps) {
  const { data } = useRead(
    rest.getOrganisation,
    { params: { organisationId: organisationId ?? '' } },
    { enabled: organisationId !== null },
  );
  if (organisationId === null) return <span className="text-ink-faint">the platform</span>;
  if (data === undefined) return null;
  return (
    <Link
      href={withQuery(paths.platform(page), { [ORGANISATION_PARAMETER]: data.slug })}
      className={`break-words ${LINK}`}
    >
      {data.name}
    </Link>
  );
}
