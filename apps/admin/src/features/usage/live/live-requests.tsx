'use client';

import { rest } from '@tollgate/contracts';
import { ArrowUp, Pause, Play, Radio } from 'lucide-react';
import {
  startTransition,
  useEffect,
  useReducer,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';

import { Button } from '../../../design/button';
import { Empty } from '../../../design/empty';
import { SkeletonRows } from '../../../design/skeleton';
import { Table } from '../../../design/table';
import { useListQuery } from '../../../design/use-list-query';
import { plural } from '../../../format/numbers';
import { ColumnsMenu, useColumns } from '../../../resource/columns-menu';
import { Filters, type Filter } from '../../../resource/filters';
import { listInput } from '../../../resource/list-input';
import { recordsInput } from '../list-inputs';
import { useRecordColumns } from '../record-columns';
import type { Usage } from '../use-usage';
import { LIVE_SHOWN, NO_ROWS, withArrived, withShown, type LiveRows } from './live-rows';
import { useLive, type LiveState } from './use-live';

type Action =
  | { readonly kind: 'arrived'; readonly records: rest.LiveRecords; readonly hold: boolean }
  | { readonly kind: 'show' };

const reduce = (live: LiveRows, action: Action): LiveRows =>
  action.kind === 'show' ? withShown(live) : withArrived(live, action.records, action.hold);

interface LiveRequestsProps {
  readonly usage: Usage;
  readonly filters: readonly Filter[];
  readonly tools: ReactNode;
}

/** Requests as they are booked. A new set of filters is a new list. */
export function LiveRequests(props: LiveRequestsProps) {
  const list = useListQuery();
  const { from: _from, to: _to, ...owners } = recordsInput(props.usage.state);
  const { limit: _limit, ...input } = listInput(rest.watchUsageRecords, list.get, owners);
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]) => [name, String(value)]),
  ).toString();
  return <LiveList key={query} {...props} query={query} />;
}

function LiveList({ filters, tools, query }: LiveRequestsProps & { readonly query: string }) {
  const list = useListQuery();
  const columns = useRecordColumns('full');
  const chosenColumns = useColumns(rest.listUsageRecords.id, columns);
  const [live, dispatch] = useReducer(reduce, NO_ROWS);
  const [paused, setPaused] = useState(false);
  const [begun, setBegun] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  const isAtTop = useInView(top);
  const state = useLive(query, (records) => {
    // New rows give way to whoever types or clicks.
    startTransition(() => {
      setBegun(true);
      dispatch({ kind: 'arrived', records, hold: begun && (paused || !isAtTop) });
    });
  });
  const show = (): void => {
    setPaused(false);
    dispatch({ kind: 'show' });
    top.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className="overflow-hidden rounded-lg border bg-surface">
      <Filters list={list} search={undefined} filters={filters}>
        {tools}
        <ColumnsMenu columns={columns} chosen={chosenColumns} />
      </Filters>
      <div
        ref={top}
        className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 border-b px-3 py-2"
      >
        <StateWords state={state} paused={paused} />
        <Button size="small" onClick={() => (paused ? show() : setPaused(true))}>
          {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <span role="status" className="ml-auto text-sm text-ink-soft">
          {live.missed && `Busy: some requests are only in the list that is not live.`}
        </span>
      </div>
      {live.waitingCount > 0 && (
        <div className="sticky top-0 z-10 border-b bg-accent-soft p-2 text-center">
          <Button size="small" look="primary" onClick={show}>
            <ArrowUp aria-hidden />
            Show {plural(live.waitingCount, 'new request')}
          </Button>
        </div>
      )}
      {!begun && <SkeletonRows label="Waiting for requests" />}
      {begun && live.rows.length === 0 && (
        <Empty icon={Radio} title="No request yet">
          Requests appear here once they are booked, usually within a second after their end.
        </Empty>
      )}
      {live.rows.length > 0 && (
        <>
          <Table
            caption="Live requests"
            columns={chosenColumns.shown.map(({ sort: _sort, ...column }) => column)}
            rows={live.rows}
            keyOf={({ id }) => id}
          />
          <p className="border-t px-4 py-2 text-xs text-ink-faint">
            The last {String(LIVE_SHOWN)} at most, of requests that began within 15 minutes.
          </p>
        </>
      )}
    </div>
  );
}

function StateWords({ state, paused }: { readonly state: LiveState; readonly paused: boolean }) {
  const [dot, words] =
    state === 'away'
      ? ['bg-warn', 'Interrupted. Trying again every few seconds.']
      : state === 'connecting'
        ? ['bg-ink-faint', 'Connecting']
        : paused
          ? ['bg-ink-faint', 'Paused']
          : ['bg-good', 'Live'];
  return (
    <span role="status" className="inline-flex items-center gap-2 text-sm font-medium">
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {words}
    </span>
  );
}

/** Whether an element is on the screen. */
function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [inView, setInView] = useState(true);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry !== undefined) setInView(entry.isIntersecting);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return inView;
}
