'use client';

import { rest } from '@tollgate/contracts';
import { Pencil, Signpost } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { ModelName, RetirementFacts } from '../models/retirement-facts';
import { nextTarget } from './alias-draft';
import { AliasForm } from './alias-form';
import { StillUsed } from './still-used';

/** The open dialog. */
type AliasWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly alias: rest.ModelAlias }
  | { readonly open: 'ask'; readonly question: Question };

/** The organisation's aliases, and who still uses what comes to an end. */
export function Aliases() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('models.write');
  const maySeeUse = useMay('retirements.read');
  const columns = useAliasColumns();
  const [window, setWindow] = useState<AliasWindow>();
  return (
    <ListPage
      title="Aliases"
      description="Other names for models, which may stand for different models at different times."
      create={mayWrite && { label: 'Create alias', onSelect: () => setWindow({ open: 'create' }) }}
      source={sourceOf(rest.listModelAliases, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[]}
      actions={mayWrite && ((alias) => actionsOf(alias, client, setWindow))}
      empty={{
        icon: Signpost,
        title: 'No aliases yet',
        text: mayWrite
          ? 'Create an alias to offer a model under another name, and to move the name to another model on a day that you choose.'
          : 'An administrator can add aliases.',
      }}
    >
      {maySeeUse && <StillUsed />}
      <Windows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

function actionsOf(
  alias: rest.ModelAlias,
  client: RestClient,
  open: (window: AliasWindow) => void,
): readonly MenuAction[] {
  const { id: modelAliasId, organisationId, name } = alias;
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', alias }) },
    deleteAction({
      noun: 'alias',
      name,
      consequence:
        'Requests that name it are refused as those for an unknown model. Usage records keep the name. This cannot be undone.',
      run: () => client.call(rest.deleteModelAlias, { params: { organisationId, modelAliasId } }),
      stale: [rest.listModelAliases.id, rest.listRetirements.id],
      ask: (question) => open({ open: 'ask', question }),
    }),
  ];
}

interface WindowsProps {
  readonly window: AliasWindow | undefined;
  readonly onClose: () => void;
}

function Windows({ window, onClose }: WindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <AliasForm onClose={onClose} />;
    case 'edit':
      return <AliasForm aliasId={window.alias.id} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}

function useAliasColumns(): readonly ListColumn<rest.ModelAlias>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ModelAlias>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ name, displayName }) => (
          <>
            <span className="block break-words">{name}</span>
            {displayName !== null && (
              <span className="block text-xs font-normal text-ink-faint">{displayName}</span>
            )}
          </>
        ),
      },
      {
        title: 'Stands for',
        cell: ({ currentModelId }) =>
          currentModelId === null ? (
            <span className="text-ink-faint">nothing yet</span>
          ) : (
            <ModelName modelId={currentModelId} />
          ),
      },
      { title: 'Next change', from: 'sm', cell: (alias) => <Next alias={alias} /> },
      {
        title: 'End',
        from: 'md',
        cell: ({ retirement }) => <RetirementFacts retirement={retirement} />,
      },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'lg',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [timeZone],
  );
}

function Next({ alias: { targets } }: { readonly alias: rest.ModelAlias }) {
  const { timeZone } = useOrganisation();
  const [nowMs] = useState(() => Date.now());
  const next = nextTarget(targets, nowMs);
  if (next === undefined) return <span className="text-ink-faint">none planned</span>;
  return (
    <>
      <ModelName modelId={next.modelId} />{' '}
      <When instant={next.effectiveFrom} timeZone={timeZone} format="minute" />
    </>
  );
}
