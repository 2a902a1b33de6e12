'use client';

import type { rest } from '@tollgate/contracts';

import { LinkButton } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Facts } from '../../design/facts';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { Window } from '../../resource/form-dialog';
import { pageOf, withQuery } from '../../shell/paths';
import { useScope, useTimeZone } from '../../shell/scope';
import { Actor } from './audit-columns';
import { actionWords, fieldChanges, objectWords, pageOfTarget, type FieldChange } from './changes';

interface EventWindowProps {
  readonly event: rest.AuditEvent;
  readonly onClose: () => void;
}

/** One audit event with its changed fields. */
export function EventWindow({ event, onClose }: EventWindowProps) {
  const scope = useScope();
  const timeZone = useTimeZone();
  const { action, target, before, after, requestId, remoteAddress, createdAt } = event;
  const changes = fieldChanges(before, after, event.names);
  const page = scope.organisation === null ? undefined : pageOfTarget(target);
  return (
    <Window
      title={actionWords(action)}
      description={`${objectWords(target.type)} ${target.name ?? target.id ?? ''}`}
      wide
      onClose={onClose}
    >
      <DialogBody>
        <Facts
          facts={[
            { name: 'Who', value: <Actor event={event} /> },
            {
              name: 'When',
              value: <When instant={createdAt} timeZone={timeZone} format="moment" />,
            },
            ...(remoteAddress === null ? [] : [{ name: 'From', value: remoteAddress }]),
            ...(target.name === null || target.id === null
              ? []
              : [
                  {
                    name: 'Id',
                    value: <code className="font-mono text-sm break-all">{target.id}</code>,
                  },
                ]),
            { name: 'Action', value: <code className="font-mono text-sm">{action}</code> },
            ...(requestId === null
              ? []
              : [
                  {
                    name: 'Request',
                    value: <code className="font-mono text-sm break-all">{requestId}</code>,
                  },
                ]),
          ]}
        />
        {changes.length === 0 ? (
          <p className="text-ink-soft">This event changed no fields.</p>
        ) : (
          <div className="overflow-hidden rounded-md border">
            <Table
              caption="What changed"
              columns={COLUMNS}
              rows={changes}
              keyOf={({ field }) => field}
            />
          </div>
        )}
      </DialogBody>
      {page !== undefined && (
        <DialogActions>
          <LinkButton href={hrefOf(scope, page)}>Open page</LinkButton>
        </DialogActions>
      )}
    </Window>
  );
}

function hrefOf(scope: Parameters<typeof pageOf>[0], page: string): string {
  const [path = '', search = ''] = page.split('?');
  return withQuery(pageOf(scope, path), Object.fromEntries(new URLSearchParams(search)));
}

const COLUMNS: readonly Column<FieldChange>[] = [
  {
    title: 'Field',
    cell: ({ field }) => <code className="font-mono text-sm break-all">{field}</code>,
  },
  { title: 'Before', cell: ({ before }) => <Value text={before} look="text-bad" /> },
  { title: 'After', cell: ({ after }) => <Value text={after} look="text-good" /> },
];

function Value({ text, look }: { text: string | undefined; look: string }) {
  if (text === undefined) return <span className="text-ink-faint">—</span>;
  return (
    <pre className={`font-mono text-sm whitespace-pre-wrap wrap-anywhere ${look}`}>{text}</pre>
  );
}
