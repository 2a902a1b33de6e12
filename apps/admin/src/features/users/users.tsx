'use client';

import { rest, ROLES } from '@tollgate/contracts';
import { LogOut, UserRound, UserX } from 'lucide-react';
import { useState, type ReactNode } from 'react';

import { Empty } from '../../design/empty';
import { plural } from '../../format/numbers';
import type { BulkAction } from '../../resource/bulk';
import { ResourceList } from '../../resource/resource-list';
import { useMay, useScope } from '../../shell/scope';
import { DISABLED, SIGNED_OUT, userActions, UserWindows, type UserWindow } from './user-actions';
import { useUserCalls, useUserSource } from './user-calls';
import { useUserColumns } from './user-columns';

/** The users that the viewer may see; on the platform of all organisations. */
export function Users({ action }: { action: ReactNode }) {
  const { me, platform } = useScope();
  const { source, fixed } = useUserSource();
  const columns = useUserColumns();
  const calls = useUserCalls();
  const mayWrite = useMay('users.write');
  const [window, setWindow] = useState<UserWindow>();
  const applies = ({ id, status }: rest.User): boolean => status === 'ACTIVE' && id !== me.id;
  const bulk: readonly BulkAction<rest.User>[] = [
    {
      label: 'End sessions',
      icon: LogOut,
      title: (count) => `End the sessions of ${plural(count, 'user')}?`,
      done: (count) => `Sessions of ${plural(count, 'user')} ended.`,
      consequence: SIGNED_OUT,
      applies,
      run: ({ id }) => calls.endSessions(id),
    },
    {
      label: 'Disable',
      icon: UserX,
      title: (count) => `Disable ${plural(count, 'user')}?`,
      done: (count) => `${plural(count, 'user')} disabled.`,
      consequence: DISABLED,
      applies,
      run: ({ id }) => calls.disable(id),
    },
  ];
  return (
    <>
      <ResourceList
        title="Users"
        source={source}
        fixed={fixed}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        search="Search name or email"
        filters={[
          {
            name: 'role',
            label: 'Role',
            any: 'Any role',
            values: platform ? ROLES : rest.ORGANISATION_ROLES,
          },
          { name: 'status', label: 'Status', any: 'Any status', values: rest.USER_STATUSES },
        ]}
        actions={mayWrite && ((user) => userActions(user, me, setWindow))}
        bulk={mayWrite && bulk}
        empty={
          <Empty icon={UserRound} title="No users yet" action={action}>
            Invite the people who manage this organisation or use its models.
          </Empty>
        }
      />
      <UserWindows window={window} onClose={() => setWindow(undefined)} />
    </>
  );
}
