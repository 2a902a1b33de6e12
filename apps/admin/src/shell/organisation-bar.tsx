'use client';

import { rest } from '@tollgate/contracts';
import { Building2, ChevronsUpDown } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { Popover } from 'radix-ui';
import { useState } from 'react';

import { useRead } from '../api/provider';
import { Button } from '../design/button';
import { TextInput } from '../design/field';
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
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <Button size="small" aria-label={`Organisation: ${name}. Choose another`}>
            <span className="max-w-60 truncate">{name}</span>
            <ChevronsUpDown aria-hidden />
          </Button>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            align="start"
            sideOffset={4}
            collisionPadding={12}
            className="z-50 w-80 rounded-lg border bg-raised p-1 shadow-raised outline-none data-[state=open]:animate-appear"
          >
            <Choices all={all} onChosen={() => setOpen(false)} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
}

const SHOWN = 20;
const CHOICE =
  'flex w-full items-center gap-2 rounded-sm px-2 py-1.5 text-left hover:bg-hover aria-[current]:font-medium aria-[current]:text-accent';

function Choices({ all, onChosen }: { all: boolean; onChosen: () => void }) {
  const router = useRouter();
  const pathname = usePathname();
  const current = useScope().organisation?.id;
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  const { data, error } = useRead(
    rest.listOrganisations,
    { query: { limit: SHOWN, sort: 'name', ...(text === '' ? {} : { search: text }) } },
    { keep: true },
  );
  const choose = (slug: string | undefined): void => {
    onChosen();
    // Filters and cursors belong to the previous organisation.
    router.push(
      slug === undefined
        ? pathname
        : `${pathname}?${ORGANISATION_PARAMETER}=${encodeURIComponent(slug)}`,
    );
  };
  return (
    <>
      <TextInput
        type="search"
        aria-label="Search organisations"
        placeholder="Search organisations"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          const [first] = data?.data ?? [];
          if (event.key === 'Enter' && first !== undefined) choose(first.slug);
        }}
        autoFocus
      />
      <ul className="mt-1 max-h-72 overflow-y-auto">
        {error !== null && <li className="p-2 text-sm text-bad">{error.message}</li>}
        {data?.data.length === 0 && (
          <li className="p-2 text-sm text-ink-faint">No organisation with this name.</li>
        )}
        {all && text === '' && (
          <li>
            <button
              type="button"
              aria-current={current === undefined || undefined}
              onClick={() => choose(undefined)}
              className={CHOICE}
            >
              All organisations
            </button>
          </li>
        )}
        {data?.data.map(({ id, name, slug }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === current || undefined}
              onClick={() => choose(slug)}
              className={CHOICE}
            >
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="truncate font-mono text-xs text-ink-faint">{slug}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
