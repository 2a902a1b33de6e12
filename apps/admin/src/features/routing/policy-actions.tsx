'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { AssignPolicy } from './assign-policy';
import { PolicyForm } from './policy-form';

/** The open dialog. */
export type PolicyWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit' | 'assign'; readonly policy: rest.RoutingPolicy }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly policy: rest.RoutingPolicy;
  readonly client: RestClient;
  readonly open: (window: PolicyWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

const STALE = [rest.listRoutingPolicies.id, rest.getRoutingPolicy.id];

/** Actions of a routing policy. */
export function policyActions(of: ActionsOf): readonly MenuAction[] {
  const { policy, client, open, onDeleted } = of;
  const { id: routingPolicyId, organisationId, name, status } = policy;
  const params = { organisationId, routingPolicyId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    { label: 'Assign to keys', icon: KeyRound, onSelect: () => open({ open: 'assign', policy }) },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', policy }) },
    turnAction({
      noun: 'policy',
      name,
      client,
      status,
      set: (next) => [rest.updateRoutingPolicy, { params, body: { status: next } }],
      consequence: {
        on: 'Keys with this policy use its candidates again.',
        off: 'Keys with this policy use only the model that a request names. Requests that name the policy are refused.',
      },
      stale: STALE,
      ask,
    }),
    deleteAction({
      noun: 'policy',
      name,
      consequence:
        'Requests that name this policy are refused. A policy that keys use cannot be deleted; remove it from them first. This cannot be undone.',
      run: () => client.call(rest.deleteRoutingPolicy, { params }),
      stale: [rest.listRoutingPolicies.id],
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
    case 'assign':
      return <AssignPolicy policy={window.policy} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}
