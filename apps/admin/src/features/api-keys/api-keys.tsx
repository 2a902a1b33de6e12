'use client';

import { API_KEY_TYPES, rest } from '@tollgate/contracts';
import { KeyRound, Plus, SearchX } from 'lucide-react';
import { useCallback, useState, type ReactNode } from 'react';
import { useRead } from '../../api/provider';
import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import { Failure } from '../../design/failure';
import { Select } from '../../design/field';
import { Page } from '../../design/page';
import { Pager } from '../../design/pager';
import { SearchBox } from '../../design/search-box';
import { SkeletonRows } from '../../design/skeleton';
import { Table } from '../../design/table';
import { useListQuery } from '../../design/use-list-query';
import { sentence } from '../../format/words';
import { useMay, useOrganisation } from '../../shell/scope';
import { keyColumns } from './columns';
import { CreateKeyDialog } from './create-key-dialog';
import { keysQuery } from './queries';
import { RevokeKeyDialog } from './revoke-key-dialog';

/** The organisation's keys, as far as the user's role reaches. */
export function ApiKeys() {
  const [creating, setCreating] = useState(false);
  const mayWrite = useMay('apikeys.write');
  const create = mayWrite && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="What applications call the gateway with. Each may use the models it is granted."
      actions={create}
    >
      <KeyList create={create} />
      <CreateKeyDialog open={creating} onOpenChange={setCreating} />
    </Page>
  );
}

function KeyList({ create }: { create: ReactNode }) {
  const organisation = useOrganisation();
  const list = useListQuery();
  const [revoking, setRevoking] = useState<rest.ApiKey>();
  const mayWrite = useMay('apikeys.write');
  const query = keysQuery(list.get);
  const { data, error, refetch, isPlaceholderData } = useRead(
    rest.listApiKeys,
    { params: { organisationId: organisation.id }, query },
    { keep: true },
  );
  const filtered = Object.keys(query).some((name) => name !== 'limit' && name !== 'cursor');
  return (
    <div className="overflow-hidden rounded-lg border bg-surface">
      <Filters list={list} />
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && <SkeletonRows label="Loading API keys" />}
      {data?.data.length === 0 && <Nothing filtered={filtered} create={create} />}
      {data !== undefined && data.data.length > 0 && (
        <>
          <Table
            caption="API keys"
            columns={keyColumns(organisation.timeZone, mayWrite ? setRevoking : undefined)}
            rows={data.data}
            keyOf={({ id }) => id}
            stale={isPlaceholderData}
          />
          <Pager
            shown={data.data.length}
            onPrevious={list.onPrevious}
            onNext={list.onNext(data.nextCursor)}
          />
        </>
      )}
      {revoking !== undefined && (
        <RevokeKeyDialog apiKey={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </div>
  );
}

function Filters({ list }: { list: ReturnType<typeof useListQuery> }) {
  const { get, set } = list;
  const setSearch = useCallback((value: string | undefined) => set('search', value), [set]);
  return (
    <search className="flex flex-wrap gap-2 border-b p-3">
      <SearchBox label="Search name or preview" value={get('search')} onChange={setSearch} />
      <Choice
        label="Status"
        all="Any status"
        values={rest.API_KEY_STATUSES}
        name="status"
        list={list}
      />
      <Choice label="Type" all="Any type" values={API_KEY_TYPES} name="type" list={list} />
    </search>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly all: string;
  readonly values: readonly string[];
  readonly name: string;
  readonly list: ReturnType<typeof useListQuery>;
};

function Choice({ label, all, values, name, list }: ChoiceProps) {
  return (
    <div>
      <Select
        aria-label={label}
        value={list.get(name) ?? ''}
        onChange={(event) => list.set(name, event.target.value)}
      >
        <option value="">{all}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {sentence(value)}
          </option>
        ))}
      </Select>
    </div>
  );
}

function Nothing({ filtered, create }: { filtered: boolean; create: ReactNode }) {
  if (filtered) {
    return (
      <Empty icon={SearchX} title="No key fits">
        Change the search or the filters.
      </Empty>
    );
  }
  return (
    <Empty icon={KeyRound} title="No API keys yet" action={create}>
      Create one, grant it a model, and point an application at the gateway with it.
    </Empty>
  );
}
