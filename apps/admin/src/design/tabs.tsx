'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';

export interface Tab {
  readonly value: string;
  readonly label: string;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Query parameters to keep on a tab change. Filters and cursors of the other tab are dropped. */
  readonly keep?: readonly string[];
}

const NAME = 'tab';

/** Tabs with their own URLs. */
export function Tabs({ label, tabs, keep = ['organisation'] }: TabsProps) {
  const pathname = usePathname();
  const search = useSearchParams();
  const chosen = chosenTab(tabs, search.get(NAME));
  const hrefOf = (value: string): string => {
    const next = new URLSearchParams();
    for (const name of keep) {
      const kept = search.get(name);
      if (kept !== null) next.set(name, kept);
    }
    if (value !== tabs[0]?.value) next.set(NAME, value);
    const text = next.toString();
    return text === '' ? pathname : `${pathname}?${text}`;
  };
  return (
    <nav aria-label={label} className="flex gap-4 overflow-x-auto border-b">
      {tabs.map((tab) => (
        <Link
          key={tab.value}
          href={hrefOf(tab.value)}
          scroll={false}
          aria-current={tab.value === chosen ? 'page' : undefined}
          className={clsx(
            '-mb-px border-b-2 px-1 py-2 whitespace-nowrap focus-visible:-outline-offset-2',
            tab.value === chosen
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-soft hover:text-ink',
          )}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

export function useTab(tabs: readonly Tab[]): string {
  return chosenTab(tabs, useSearchParams().get(NAME));
}

/** The first tab when the URL names none or an unknown one. */
export function chosenTab(tabs: readonly Tab[], named: string | null | undefined): string {
  return (tabs.find(({ value }) => value === named) ?? tabs[0])?.value ?? '';
}
