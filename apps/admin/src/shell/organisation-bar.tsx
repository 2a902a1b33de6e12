'use client';

import { rest } from '@tollgate/contracts';
import { Building2, ChevronsUpDown } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead } from '../api/provider';
import { Button } from '../design/button';
import { Combobox } from '../design/combobox';
import { Popover } from '../design/popover';
import { useDebounced } from '../design/use-debounced';
import { ORGANISATION_PARAMETER } from './paths';
import { useScope } from './scope';

/**
 * Shows and changes the organisation on the platform's pages. `all`: the page also supports all
 * organisations.
 */
export function OrganisationBar({ all = false }: { all?: boolean }) {
  const { organisation } = useScope();
  const name = organisation?.name ?? 'All organisations';
  const [open, setOpen] = useState(false);
  return (
    <div className="flex items-center gap-2 border-b bg-surface px-4 py-2 sm:px-6 lg:px-8">
      <Building2 className="size-4 text-ink-faint" aria-hidden />
      <span className="text-sm text-ink-soft">Organisation</span>
      <Popover
        open={open}
        onOpenChange={setOpen}
        label="Organisations"
        className="w-80"
        trigger={
          <Button size="small" aria-label={`Organisation: ${name}. Choose another`}>
            <span className="max-w-60 truncate">{name}</span>
            <ChevronsUpDown aria-hidden />
          </Button>
        }
      >
        <Choices all={all} onChosen={() => setOpen(false)} />
      </Popover>
    </div>
  );
}

const SHOWN = 20;
/** The choice of no organisation. */
const ALL = 'all';

function Choices({ all, onChosen }: { all: boolean; onChosen: () => void }) {
  const router = useRouter();
  const pathname = usePathname();
  const current = useScope().organisation?.id;
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, error, isPlaceholderData } = useRead(
    rest.listOrganisations,
    { query: { limit: SHOWN, sort: 'name', ...(text === '' ? {} : { search: text }) } },
    { keep: true },
  );
  const choose = (id: string): void => {
    const found = data?.data.find((organisation) => organisation.id === id);
    onChosen();
    // Filters and cursors belong to the previous organisation.
    router.push(
      found === undefined
        ? pathname
        : `${pathname}?${ORGANISATION_PARAMETER}=${encodeURIComponent(found.slug)}`,
    );
  };
  const found = data?.data.map(({ id, name, slug }) => ({ id, name, note: slug }));
  if (error !== null) return <p className="p-2 text-sm text-bad">{error.message}</p>;
  return (
    <Combobox
      label="Search organisations"
      many={false}
      items={
        all && text === '' ? found && [{ id: ALL, name: 'All organisations' }, ...found] : found
      }
      chosen={[current ?? ALL]}
      onChoose={choose}
      search={search}
      onSearch={setSearch}
      reading={isPlaceholderData || text !== search.trim()}
      nothing="No organisation with this name."
      more={data !== undefined && data.nextCursor !== null}
      autoFocus
    />
  );
}
