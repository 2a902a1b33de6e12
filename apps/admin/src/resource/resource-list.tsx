'use client';

import { SearchX } from 'lucide-react';
import { useState, type ReactNode } from 'react';

import { Empty } from '../design/empty';
import { Failure } from '../design/failure';
import { ActionMenu, type MenuAction } from '../design/menu';
import { Pager } from '../design/pager';
import { SkeletonRows } from '../design/skeleton';
import { Table, type Column } from '../design/table';
import { useListQuery } from '../design/use-list-query';
import { BulkBar, type BulkAction } from './bulk';
import { ColumnsMenu, useColumns, type ListColumn } from './columns-menu';
import { Filters, type Filter } from './filters';
import { isFiltered, listInput, type ListInput } from './list-input';
import { pageWords } from './page-words';
import { useRows, type Source } from './source';
import { useLinkedRowAction } from './use-linked-action';

export interface ResourceListProps<Row> {
  /** What the rows are, in the plural: "API keys". */
  readonly title: string;
  readonly source: Source<Row>;
  readonly columns: readonly ListColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** Query parameters that override the URL. */
  readonly fixed?: ListInput;
  readonly search?: string;
  readonly filters?: readonly Filter[];
  /** False where the user may do nothing with a row. */
  readonly actions?: false | ((row: Row) => readonly MenuAction[]);
  /** Actions for several rows at once. */
  readonly bulk?: false | readonly BulkAction<Row>[];
  /** Beside the filters, such as an export button. */
  readonly tools?: ReactNode;
  /** Shown when the list is empty without filters. */
  readonly empty: ReactNode;
}

/** A list of resources. The URL keeps filters, sort and page; the server applies them. */
export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { title, source, columns, keyOf, nameOf, fixed = {}, search, filters = [] } = props;
  const { actions = false, tools, empty } = props;
  const bulk = props.bulk || [];
  const list = useListQuery();
  const query = listInput(source.endpoint, list.get, fixed);
  const { data, error, refetch, isPlaceholderData } = useRows(source, query);
  const chosenColumns = useColumns(source.endpoint.id, columns);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const rows = data?.data ?? [];
  useLinkedRowAction(isPlaceholderData ? undefined : data?.data.map(keyOf), (key) => {
    const row = rows.find((one) => keyOf(one) === key);
    return row === undefined || actions === false ? [] : actions(row);
  });
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  return (
    <div className="overflow-hidden rounded-lg border bg-surface">
      <Filters list={list} search={search} filters={filters}>
        {tools}
        <ColumnsMenu columns={columns} chosen={chosenColumns} />
      </Filters>
      {picked.length > 0 && (
        <BulkBar
          rows={picked}
          actions={bulk}
          nameOf={nameOf}
          endpoint={source.endpoint.id}
          onClear={() => setChosen(new Set())}
        />
      )}
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && (
        <SkeletonRows label={`Loading ${title.toLowerCase()}`} />
      )}
      {data?.data.length === 0 && (isFiltered(query, fixed) ? <NothingFits /> : empty)}
      {rows.length > 0 && (
        <>
          <Table
            caption={title}
            columns={[...chosenColumns.shown, ...actionColumn(nameOf, actions)]}
            rows={rows}
            keyOf={keyOf}
            stale={isPlaceholderData}
            sorting={{ by: list.get('sort'), onSort: (by) => list.set('sort', by) }}
            selection={bulk.length === 0 ? undefined : { chosen, onChange: setChosen, nameOf }}
          />
          <Pager
            words={pageWords(rows.length, data?.matching)}
            onPrevious={list.onPrevious}
            onNext={list.onNext(data?.nextCursor ?? null)}
          />
        </>
      )}
    </div>
  );
}

function actionColumn<Row>(
  nameOf: (row: Row) => string,
  actions: false | ((row: Row) => readonly MenuAction[]),
): Column<Row>[] {
  if (actions === false) return [];
  return [
    {
      title: 'Actions',
      titleHidden: true,
      align: 'right',
      cell: (row) => <ActionMenu label={`Actions for ${nameOf(row)}`} actions={actions(row)} />,
    },
  ];
}

function NothingFits() {
  return (
    <Empty icon={SearchX} title="No matches">
      Change the search or the filters.
    </Empty>
  );
}
