import { rest } from '@tollgate/contracts';

import { User } from '../../../../features/users/user';
import { withReads } from '../../../../server/prefetch';
import { platformScope } from '../../../../server/viewer';
import { FailureInFrame } from '../../../../shell/failure-page';

export const metadata = { title: 'User' };

interface UserProps {
  params: Promise<{ id: string }>;
}

export default async function UserPage({ params }: UserProps) {
  const scope = await platformScope();
  if (!scope.ok) return <FailureInFrame error={scope.error} />;
  const { id: userId } = await params;
  return withReads(
    scope.client,
    (read) => [
      read(rest.getPlatformUser, { params: { userId } }),
      read(rest.listPlatformUserSessions, { params: { userId } }),
    ],
    <User userId={userId} />,
  );
}
