'use client';

import { rest } from '@tollgate/contracts';
import { CircleDollarSign, Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ModelForm } from './model-form';
import { PriceForm } from './price-form';
import { PriceListImport } from './price-list-import';

/** The open dialog. */
export type ModelWindow =
  | { readonly open: 'create' | 'import' }
  | { readonly open: 'price'; readonly model: rest.Model }
  | { readonly open: 'edit'; readonly model: rest.Model; readonly focus?: string }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly model: rest.Model;
  readonly client: RestClient;
  readonly open: (window: ModelWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

export const TURNED_OFF = 'Requests for this model are refused until it is turned on again.';
export const TURNED_ON = 'Keys with a grant may use this model again.';

/** Actions of a model. */
export function modelActions(of: ActionsOf): readonly MenuAction[] {
  const { model, client, open, onDeleted } = of;
  const { id: modelId, organisationId, name, status } = model;
  const params = { organisationId, modelId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    {
      label: 'Set a price',
      icon: CircleDollarSign,
      onSelect: () => open({ open: 'price', model }),
    },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', model }) },
    turnAction({
      noun: 'model',
      name,
      client,
      status,
      set: (next) => [rest.updateModel, { params, body: { status: next } }],
      consequence: { on: TURNED_ON, off: TURNED_OFF },
      stale: [rest.listModels.id, rest.getModel.id],
      ask,
    }),
    deleteAction({
      noun: 'model',
      name,
      consequence: 'Deletes its grants and limits. Recorded usage is kept. This cannot be undone.',
      run: () => client.call(rest.deleteModel, { params }),
      stale: [rest.listModels.id],
      onDone: onDeleted,
      ask,
    }),
  ];
}

interface ModelWindowsProps {
  readonly window: ModelWindow | undefined;
  readonly onClose: () => void;
}

export function ModelWindows({ window, onClose }: ModelWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <ModelForm onClose={onClose} />;
    case 'import':
      return <PriceListImport onClose={onClose} />;
    case 'edit':
      return <ModelForm modelId={window.model.id} focus={window.focus} onClose={onClose} />;
    case 'price':
      return <PriceForm model={window.model} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}
