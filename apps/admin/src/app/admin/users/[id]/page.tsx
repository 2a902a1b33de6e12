import { rest } from '@tollgate/contracts';

import { User } from '../../../../features/users/user';
import { withReads } from '../../../../server/prefetch';
import { platformScope } from '../../../../server/viewer';

export const metadata = { title: 'User' };

interface UserProps {
  params: Promise<{ id: string }>;
}

export default async function UserPage({ params }: UserProps) {
  const scope = await platformScope();
  // The layout shows the reason.
  if (!scope.ok) return null;
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
