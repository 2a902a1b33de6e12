'use client';

import { rest } from '@tollgate/contracts';
import { Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ExperimentForm } from './experiment-form';

/** The open dialog. */
export type ExperimentWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly experiment: rest.Experiment }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly experiment: rest.Experiment;
  readonly client: RestClient;
  readonly open: (window: ExperimentWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

export function experimentActions(of: ActionsOf): readonly MenuAction[] {
  const { experiment, client, open, onDeleted } = of;
  const { id: experimentId, organisationId, name } = experiment;
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', experiment }) },
    deleteAction({
      noun: 'experiment',
      name,
      consequence:
        'Requests get what the name stands for without it, and the comparison is gone. Usage records keep the arm. This cannot be undone.',
      run: () => client.call(rest.deleteExperiment, { params: { organisationId, experimentId } }),
      stale: [rest.listExperiments.id],
      onDone: onDeleted,
      ask: (question) => open({ open: 'ask', question }),
    }),
  ];
}

interface ExperimentWindowsProps {
  readonly window: ExperimentWindow | undefined;
  readonly onClose: () => void;
}

export function ExperimentWindows({ window, onClose }: ExperimentWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <ExperimentForm onClose={onClose} />;
    case 'edit':
      return <ExperimentForm experimentId={window.experiment.id} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}
