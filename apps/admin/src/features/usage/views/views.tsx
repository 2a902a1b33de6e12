'use client';

import { rest } from '@tollgate/contracts';
import { useRouter, useSearchParams } from 'next/navigation';

import { useRead } from '../../../api/provider';
import { Button } from '../../../design/button';
import { DialogBody } from '../../../design/dialog';
import { Failure } from '../../../design/failure';
import { SkeletonRows } from '../../../design/skeleton';
import { Switch } from '../../../design/switch';
import { TextField } from '../../../design/text-field';
import { OtherErrors, Window } from '../../../resource/form-dialog';
import { useSave } from '../../../resource/use-save';
import { useOrganisation, useReachesOrganisation } from '../../../shell/scope';
import type { Usage } from '../use-usage';
import { changesFor, parametersIn } from './view-parameters';
import { ViewRow } from './view-row';

interface ViewsProps {
  readonly usage: Usage;
  readonly onClose: () => void;
}

/** The saved views: open, change and delete them, and save what the page shows. */
export function Views({ usage, onClose }: ViewsProps) {
  const { id: organisationId } = useOrganisation();
  const router = useRouter();
  const { data, error, refetch } = useRead(rest.listUsageViews, {
    params: { organisationId },
    query: { limit: rest.PAGE_LIMIT, sort: 'name' },
  });
  return (
    <Window
      title="Saved views"
      description="A view keeps the period, grouping and filters of this page under a name."
      onClose={onClose}
    >
      <DialogBody>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <SkeletonRows label="Loading views" />}
        {data?.data.length === 0 && (
          <p className="text-ink-soft">No saved views yet. Save what the page shows now.</p>
        )}
        {data !== undefined && data.data.length > 0 && (
          <ul aria-label="Saved views" className="divide-y rounded-md border">
            {data.data.map((view) => (
              <ViewRow
                key={view.id}
                view={view}
                onOpen={() => {
                  onClose();
                  router.push(usage.hrefOf(changesFor(view.parameters)), { scroll: false });
                }}
              />
            ))}
          </ul>
        )}
        <NewView />
      </DialogBody>
    </Window>
  );
}

/** Saves what the page shows. */
function NewView() {
  const { id: organisationId } = useOrganisation();
  const search = useSearchParams();
  const mayShare = useReachesOrganisation('usage-views.write');
  const form = useSave({
    initial: { name: '', shared: false },
    send: ({ name, shared }, call) =>
      call(rest.createUsageView, {
        params: { organisationId },
        body: { name, shared, parameters: parametersIn((key) => search.get(key) ?? undefined) },
      }),
    stale: [rest.listUsageViews.id],
    made: ({ name }: rest.UsageView) => `View ${name} saved.`,
    onSaved: () => form.change({ name: '', shared: false }),
  });
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-3 border-t pt-4">
      <OtherErrors error={form.error} fields={['name', 'shared']} />
      <TextField label="Name of a new view" {...form.field('name')} maxLength={200} />
      {mayShare && (
        <Switch
          label="Share it with the administrators of the organisation"
          checked={form.draft.shared}
          onChange={(shared) => form.change({ shared })}
        />
      )}
      <div>
        <Button type="submit" look="primary" busy={form.busy}>
          Save what the page shows
        </Button>
      </div>
    </form>
  );
}
