'use client';

import { rest } from '@tollgate/contracts';
import { Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { PolicyForm } from './policy-form';

/** The open dialog. */
export type PolicyWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly policy: rest.ScreeningPolicy }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly policy: rest.ScreeningPolicy;
  readonly client: RestClient;
  readonly open: (window: PolicyWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

const STALE = [rest.listScreeningPolicies.id, rest.getScreeningPolicy.id];

/** Actions of a screening policy. */
export function policyActions(of: ActionsOf): readonly MenuAction[] {
  const { policy, client, open, onDeleted } = of;
  const { id: screeningPolicyId, name, organisationId, status } = policy;
  const params = { organisationId, screeningPolicyId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', policy }) },
    turnAction({
      noun: 'policy',
      name,
      client,
      status,
      set: (next) => [rest.updateScreeningPolicy, { params, body: { status: next } }],
      consequence: {
        on: 'Its rules apply to new requests again.',
        off: 'Its rules apply to no new request. Texts that they block or mask go to providers.',
      },
      stale: STALE,
      ask,
    }),
    deleteAction({
      noun: 'policy',
      name,
      consequence:
        'Its rules apply to no new request, and its versions are deleted. Records keep what was found. This cannot be undone.',
      run: () => client.call(rest.deleteScreeningPolicy, { params }),
      stale: [rest.listScreeningPolicies.id],
      onDone: onDeleted,
      ask,
    }),
  ];
}

interface PolicyWindowsProps {
  readonly window: PolicyWindow | undefined;
  readonly onClose: () => void;
}

export function PolicyWindows({ window, onClose }: PolicyWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <PolicyForm onClose={onClose} />;
    case 'edit':
      return <PolicyForm policyId={window.policy.id} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}
