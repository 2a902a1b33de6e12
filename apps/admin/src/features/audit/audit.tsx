'use client';

import { rest } from '@tollgate/contracts';
import { Download, Eye, Filter as FilterIcon, ScrollText, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';

import { buttonClass } from '../../design/button';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { Page } from '../../design/page';
import { useListQuery } from '../../design/use-list-query';
import { Narrowings } from '../../resource/narrowings';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf, type Source } from '../../resource/source';
import { useScope, useTimeZone } from '../../shell/scope';
import { narrowed } from '../users/narrowed';
import { useAuditColumns } from './audit-columns';
import { actionWords, objectWords, TARGET_TYPES } from './changes';
import { EventWindow } from './event-window';
import { exportPath } from './export-path';
import { TimeFilter } from './time-filter';

type ListQuery = ReturnType<typeof useListQuery>;

/** The audit trail of an organisation, or of all of them. */
export function Audit() {
  const { platform, organisation } = useScope();
  const timeZone = useTimeZone();
  const list = useListQuery();
  const { get } = list;
  const [shown, setShown] = useState<rest.AuditEvent>();
  const columns = useAuditColumns(setShown);
  const fixed = useMemo(
    () => (platform ? narrowed(organisation?.id) : {}),
    [platform, organisation?.id],
  );
  const source: Source<rest.AuditEvent> =
    platform || organisation === null
      ? sourceOf(rest.listPlatformAuditEvents, {})
      : sourceOf(rest.listAuditEvents, { organisationId: organisation.id });
  return (
    <Page
      title="Audit"
      description="Who changed what: settings, keys, limits and users."
      actions={organisation !== null && <ExportLink path={exportPath(organisation.id, get)} />}
    >
      <Narrowings of={NARROWED_BY} />
      <ResourceList
        title="Audit events"
        source={source}
        fixed={fixed}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ action, target }) => `${actionWords(action)} of ${target.id ?? 'nothing'}`}
        search="Search action, email or id"
        filters={[
          {
            name: 'targetType',
            label: 'Object',
            any: 'Any object',
            values: TARGET_TYPES,
            wordOf: objectWords,
          },
        ]}
        actions={(event) => actionsOf(event, list, setShown)}
        tools={<TimeFilter list={list} timeZone={timeZone} />}
        empty={
          <Empty icon={ScrollText} title="No changes recorded yet">
            Each change is listed with its author, time, address and previous value.
          </Empty>
        }
      />
      {shown !== undefined && <EventWindow event={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function ExportLink({ path }: { path: string }) {
  return (
    <a
      href={path}
      download
      className={buttonClass({})}
      title={`At most ${String(rest.AUDIT_EXPORT_DAYS)} days. Without a time filter: the last 30 days.`}
    >
      <Download aria-hidden />
      Export CSV
    </a>
  );
}

function actionsOf(
  event: rest.AuditEvent,
  { set }: ListQuery,
  onShow: (event: rest.AuditEvent) => void,
): readonly MenuAction[] {
  const { id: actorId } = event.actor;
  const { id: targetId } = event.target;
  const actions: MenuAction[] = [
    { label: 'See what changed', icon: Eye, onSelect: () => onShow(event) },
  ];
  if (actorId !== null) {
    actions.push({
      label: 'Only by this actor',
      icon: UserRound,
      onSelect: () => set('actorId', actorId),
    });
  }
  if (targetId !== null) {
    actions.push({
      label: 'Only this object',
      icon: FilterIcon,
      onSelect: () => set('targetId', targetId),
    });
  }
  return actions;
}

const NARROWED_BY = [
  { name: 'actorId', label: 'One actor' },
  { name: 'targetId', label: 'One object' },
  { name: 'action', label: 'One action' },
] as const;
