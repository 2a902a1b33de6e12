'use client';

import type { rest } from '@tollgate/contracts';
import { Link2, LogOut, Pencil, UserCheck, UserX } from 'lucide-react';
import type { MenuAction } from '../../design/menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { EditUser } from './edit-user';
import { MakeLink } from './hand-over';
import { STALE_SESSIONS, STALE_USERS, useUserCalls, type UserCalls } from './user-calls';

export const DISABLED =
  'They are signed out, and every request with a key of theirs is refused, until they are enabled again.';
export const SIGNED_OUT = 'Every browser they are signed in with has to sign in again.';

/** What is open above the page, and for which user. */
export type UserWindow = {
  readonly open: 'edit' | 'reset' | 'end sessions' | 'disable' | 'enable';
  readonly user: rest.User;
};

/** What an administrator can do with a user; nobody disables themselves. */
export function userActions(
  user: rest.User,
  me: Pick<rest.Me, 'id'>,
  open: (window: UserWindow) => void,
): readonly MenuAction[] {
  const edit: MenuAction = {
    label: 'Edit',
    icon: Pencil,
    onSelect: () => open({ open: 'edit', user }),
  };
  if (user.status === 'DISABLED') {
    const enable = () => open({ open: 'enable', user });
    return [edit, { label: 'Enable', icon: UserCheck, onSelect: enable }];
  }
  if (user.id === me.id) return [edit];
  return [
    edit,
    { label: 'Reset password', icon: Link2, onSelect: () => open({ open: 'reset', user }) },
    {
      label: 'End sessions',
      icon: LogOut,
      onSelect: () => open({ open: 'end sessions', user }),
    },
    {
      label: 'Disable',
      icon: UserX,
      danger: true,
      onSelect: () => open({ open: 'disable', user }),
    },
  ];
}

type UserWindowsProps = { readonly window: UserWindow | undefined; readonly onClose: () => void };

export function UserWindows({ window, onClose }: UserWindowsProps) {
  const calls = useUserCalls();
  if (window === undefined) return null;
  const { open, user } = window;
  switch (open) {
    case 'edit':
      return <EditUser userId={user.id} onClose={onClose} />;
    case 'reset':
      return (
        <MakeLink
          title={`Reset the password of ${user.name}?`}
          description="They get a link with which they set a new one, within a day."
          submit="Make the link"
          stale={STALE_USERS}
          send={(idempotencyKey) => calls.makeResetLink(user.id, idempotencyKey)}
          mailed={`The link was sent to ${user.email}.`}
          shownAs={`The link for ${user.name}`}
          onClose={onClose}
        >
          <p>
            Until then the present password goes on working. An earlier link of theirs ends now.
          </p>
        </MakeLink>
      );
    case 'end sessions':
      return <ConfirmDialog question={endSessions(user, calls)} onClose={onClose} />;
    case 'disable':
      return <ConfirmDialog question={disable(user, calls)} onClose={onClose} />;
    case 'enable':
      return <ConfirmDialog question={enable(user, calls)} onClose={onClose} />;
  }
}

export function endSessions({ id, name }: rest.User, calls: UserCalls): Question {
  return {
    title: `Sign ${name} out everywhere?`,
    consequence: SIGNED_OUT,
    confirm: 'End all sessions',
    run: () => calls.endSessions(id),
    stale: STALE_SESSIONS,
    done: `${name} is signed out.`,
  };
}

function disable({ id, name }: rest.User, calls: UserCalls): Question {
  return {
    title: `Disable ${name}?`,
    consequence: DISABLED,
    name,
    confirm: 'Disable user',
    run: () => calls.disable(id),
    // Their sessions stay ended; that they may begin new ones is what comes back.
    undo: { run: () => calls.enable(id), done: `${name} is enabled again.` },
    stale: [...STALE_USERS, ...STALE_SESSIONS],
    done: `${name} is disabled.`,
  };
}

function enable({ id, name }: rest.User, calls: UserCalls): Question {
  return {
    title: `Enable ${name}?`,
    consequence: 'They may sign in again, and their keys are accepted again.',
    confirm: 'Enable user',
    run: () => calls.enable(id),
    undo: { run: () => calls.disable(id), done: `${name} is disabled again.` },
    stale: STALE_USERS,
    done: `${name} is enabled.`,
  };
}
