'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { Lock, Pencil, RefreshCw, Share2 } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useRef, useState, type KeyboardEvent } from 'react';

import { useRest } from '../../../api/provider';
import { Badge } from '../../../design/badge';
import { Button } from '../../../design/button';
import { KEEPS_ESCAPE } from '../../../design/escape';
import { Failure } from '../../../design/failure';
import { ActionMenu, type MenuAction } from '../../../design/menu';
import { TextField } from '../../../design/text-field';
import { useToast } from '../../../design/toast';
import { deleteAction } from '../../../resource/actions';
import { ConfirmDialog, type Question } from '../../../resource/confirm-dialog';
import { OtherErrors } from '../../../resource/form-dialog';
import { useSave } from '../../../resource/use-save';
import { useReachesOrganisation, useScope } from '../../../shell/scope';
import { isShown, parametersIn } from './view-parameters';

interface ViewRowProps {
  readonly view: rest.UsageView;
  readonly onOpen: () => void;
}

const STALE = [rest.listUsageViews.id];

/** One saved view: its name opens it, its menu changes it. */
export function ViewRow({ view, onOpen }: ViewRowProps) {
  const { me } = useScope();
  const search = useSearchParams();
  const [renaming, setRenaming] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const [failure, setFailure] = useState<unknown>();
  const row = useRef<HTMLLIElement>(null);
  const actions = useActions(view, {
    ask: setQuestion,
    rename: () => setRenaming(true),
    fail: setFailure,
  });
  const here = isShown(view.parameters, (name) => search.get(name) ?? undefined);
  return (
    <li ref={row} className="flex flex-col gap-2 px-3 py-2">
      <div className="flex items-center gap-2">
        <button
          type="button"
          onClick={onOpen}
          aria-current={here || undefined}
          className="min-w-0 flex-1 truncate rounded-sm text-left text-accent underline-offset-4 hover:underline aria-[current]:font-medium"
        >
          {view.name}
        </button>
        {view.shared && <Badge tone="neutral">Shared</Badge>}
        {view.userId !== me.id && (
          <span className="truncate text-sm text-ink-faint">by {view.userName}</span>
        )}
        <ActionMenu label={`Actions for ${view.name}`} actions={actions} />
      </div>
      {failure !== undefined && <Failure error={failure} />}
      {renaming && (
        <Rename
          view={view}
          onClose={() => {
            setRenaming(false);
            row.current?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.focus();
          }}
        />
      )}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </li>
  );
}

type Changes = Partial<Pick<rest.UsageView, 'parameters' | 'shared'>>;

interface Doing {
  readonly ask: (question: Question) => void;
  readonly rename: () => void;
  /** Shows why a change failed, or that the last failure is over. */
  readonly fail: (failure: unknown) => void;
}

function useActions(view: rest.UsageView, { ask, rename, fail }: Doing): readonly MenuAction[] {
  const client = useRest();
  const queries = useQueryClient();
  const say = useToast();
  const search = useSearchParams();
  const mayShare = useReachesOrganisation('usage-views.write');
  const { id: usageViewId, organisationId, name, shared } = view;
  const params = { organisationId, usageViewId };
  const send = async (body: Changes, done: string): Promise<void> => {
    fail(undefined);
    try {
      await client.call(rest.updateUsageView, { params, body });
      await queries.invalidateQueries({ queryKey: STALE });
      say(done);
    } catch (failure) {
      fail(failure);
    }
  };
  const change = (body: Changes, done: string): void => void send(body, done);
  return [
    { label: 'Rename', icon: Pencil, onSelect: rename },
    {
      label: 'Replace with what the page shows',
      icon: RefreshCw,
      onSelect: () =>
        change(
          { parameters: parametersIn((key) => search.get(key) ?? undefined) },
          `View ${name} changed.`,
        ),
    },
    ...(mayShare
      ? [
          {
            label: shared ? 'Stop sharing' : 'Share',
            icon: shared ? Lock : Share2,
            onSelect: () =>
              change(
                { shared: !shared },
                shared ? `View ${name} is no longer shared.` : `View ${name} is shared.`,
              ),
          },
        ]
      : []),
    deleteAction({
      noun: 'view',
      consequence: `“${name}” is removed${shared ? ' for every administrator' : ''}. Usage itself stays.`,
      run: () => client.call(rest.deleteUsageView, { params }),
      stale: STALE,
      ask,
    }),
  ];
}

function Rename({ view, onClose }: { view: rest.UsageView; onClose: () => void }) {
  const { id: usageViewId, organisationId } = view;
  const form = useSave({
    initial: { name: view.name },
    known: { etag: undefined },
    send: ({ name }, call) =>
      call(rest.updateUsageView, { params: { organisationId, usageViewId }, body: { name } }),
    stale: STALE,
    onClose,
  });
  const press = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') onClose();
  };
  return (
    <form
      {...KEEPS_ESCAPE}
      onSubmit={form.submit}
      onKeyDown={press}
      noValidate
      className="flex flex-col gap-2"
    >
      <OtherErrors error={form.error} fields={['name']} />
      <TextField label="New name" {...form.field('name')} maxLength={200} autoFocus />
      <div className="flex gap-2">
        <Button size="small" type="submit" look="primary" busy={form.busy}>
          Save
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
