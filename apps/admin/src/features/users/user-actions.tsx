'use client';

import type { rest } from '@tollgate/contracts';
import { Link2, LogOut, Pencil, UserCheck, UserX } from 'lucide-react';

import type { MenuAction } from '../../design/menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { EditUser } from './edit-user';
import { MakeLink } from './hand-over';
import { STALE_SESSIONS, STALE_USERS, useUserCalls, type UserCalls } from './user-calls';

export const DISABLED =
  'Signs them out and refuses every request with their keys until they are enabled again.';
export const SIGNED_OUT = 'Every browser they are signed in with must sign in again.';

/** The open dialog and its user. */
export interface UserWindow {
  readonly open: 'edit' | 'reset' | 'end sessions' | 'disable' | 'enable';
  readonly user: rest.User;
}

/** An administrator's actions on a user. Nobody can disable themselves. */
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

interface UserWindowsProps {
  readonly window: UserWindow | undefined;
  readonly onClose: () => void;
}

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
          description="They get a link to set a new password. It is valid for one day."
          submit="Create link"
          stale={STALE_USERS}
          send={(idempotencyKey) => calls.makeResetLink(user.id, idempotencyKey)}
          mailed={`The link was sent to ${user.email}.`}
          shownAs={`The link for ${user.name}`}
          onClose={onClose}
        >
          <p>The current password works until then. Earlier links stop working now.</p>
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
    done: `${name} signed out.`,
  };
}

function disable({ id, name }: rest.User, calls: UserCalls): Question {
  return {
    title: `Disable ${name}?`,
    consequence: DISABLED,
    name,
    confirm: 'Disable user',
    run: () => calls.disable(id),
    // Undo lets them sign in again, but does not restore their sessions.
    undo: { run: () => calls.enable(id), done: `${name} is enabled again.` },
    stale: [...STALE_USERS, ...STALE_SESSIONS],
    done: `${name} disabled.`,
  };
}

function enable({ id, name }: rest.User, calls: UserCalls): Question {
  return {
    title: `Enable ${name}?`,
    consequence: 'They can sign in again, and their keys are accepted again.',
    confirm: 'Enable user',
    run: () => calls.enable(id),
    undo: { run: () => calls.disable(id), done: `${name} is disabled again.` },
    stale: STALE_USERS,
    done: `${name} enabled.`,
  };
}
