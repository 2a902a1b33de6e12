'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { reversible } from '../../resource/reversible';
import { AssignPolicy } from './assign-policy';
import { PolicyForm } from './policy-form';

/** What is open above the page. */
export type PolicyWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit' | 'assign'; readonly policy: rest.RoutingPolicy }
  | { readonly open: 'ask'; readonly question: Question };

type ActionsOf = {
  readonly policy: rest.RoutingPolicy;
  readonly client: RestClient;
  readonly open: (window: PolicyWindow) => void;
  /** After it is deleted. */
  readonly onDeleted?: () => void;
};

const STALE = [rest.listRoutingPolicies.id, rest.getRoutingPolicy.id];

/** What can be done with a routing policy. */
export function policyActions(of: ActionsOf): readonly MenuAction[] {
  const { policy, client, open, onDeleted } = of;
  const { id: routingPolicyId, organisationId, name, status } = policy;
  const params = { organisationId, routingPolicyId };
  const off = status === 'DISABLED';
  const change = off ? 'Turn on' : 'Turn off';
  const turn: Question = {
    title: `${change}: ${name}?`,
    consequence: off
      ? 'Keys that have it choose among its candidates again.'
      : 'Keys that have it use the named model alone; requests that name the policy are refused.',
    confirm: change,
    ...reversible(
      client,
      [rest.updateRoutingPolicy, { params, body: { status: off ? 'ACTIVE' : 'DISABLED' } }],
      [rest.updateRoutingPolicy, { params, body: { status } }],
      `${name} is ${off ? 'off' : 'on'} again.`,
    ),
    stale: STALE,
    done: `${name} is ${off ? 'on' : 'off'}.`,
  };
  const remove: Question = {
    title: `Delete ${name}?`,
    consequence:
      'Requests that name it are refused from then on. A policy that a key has is not deleted: take it away from the keys first. This cannot be undone.',
    name,
    confirm: 'Delete policy',
    cancel: 'Keep the policy',
    run: () => client.call(rest.deleteRoutingPolicy, { params }),
    stale: [rest.listRoutingPolicies.id],
    done: `${name} is deleted.`,
    ...(onDeleted && { onDone: onDeleted }),
  };
  return [
    { label: 'Give to keys', icon: KeyRound, onSelect: () => open({ open: 'assign', policy }) },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', policy }) },
    { label: change, icon: Power, onSelect: () => open({ open: 'ask', question: turn }) },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      onSelect: () => open({ open: 'ask', question: remove }),
    },
  ];
}

type PolicyWindowsProps = {
  readonly window: PolicyWindow | undefined;
  readonly onClose: () => void;
};

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
