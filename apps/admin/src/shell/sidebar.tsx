'use client';

import { clsx } from 'clsx';
import { ArrowLeft, Menu, X } from 'lucide-react';
import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useState } from 'react';

import { IconButton } from '../design/button';
import { Logo } from './logo';
import { ORGANISATION_NAVIGATION, PLATFORM_NAVIGATION, visible, type Entry } from './navigation';
import { PaletteButton } from './palette/palette-provider';
import { homeOf, ORGANISATION_PARAMETER, pageIn, paths } from './paths';
import { useScope } from './scope';
import { UserMenu } from './user-menu';

/** Beside the page, or behind a button on phones. */
export function Sidebar() {
  const [open, setOpen] = useState(false);
  const { me } = useScope();
  return (
    <>
      <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r bg-surface lg:flex">
        <Inside />
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center justify-between border-b bg-surface px-4 lg:hidden">
        <Link href={homeOf(me)} className="rounded-md">
          <Logo />
        </Link>
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger asChild>
            <IconButton label="Open the menu">
              <Menu />
            </IconButton>
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
            <Dialog.Content
              aria-describedby={undefined}
              className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] flex-col border-r bg-surface outline-none"
            >
              <Dialog.Title className="sr-only">Menu</Dialog.Title>
              <Dialog.Close asChild>
                <IconButton label="Close the menu" className="absolute top-2 right-2">
                  <X />
                </IconButton>
              </Dialog.Close>
              <Inside onNavigate={() => setOpen(false)} />
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
      </header>
    </>
  );
}

function Inside({ onNavigate = stay }: { onNavigate?: () => void }) {
  const { me, organisation } = useScope();
  const all = organisation === null ? PLATFORM_NAVIGATION : ORGANISATION_NAVIGATION;
  const sections = visible(all, me.actions);
  const looked = useSearchParams().get(ORGANISATION_PARAMETER);
  const hrefOf = (page: string): string => pageIn({ organisation }, page, looked);
  return (
    <>
      <div className="px-4 pt-4 pb-3">
        <Link href={homeOf(me)} className="rounded-md" onClick={onNavigate}>
          <Logo />
        </Link>
        <p className="mt-3 truncate text-sm font-medium">{organisation?.name ?? 'Platform'}</p>
        {organisation !== null && me.organisation === null && (
          <Link
            href={paths.platform('organisations')}
            onClick={onNavigate}
            className="mt-0.5 inline-flex items-center gap-1 text-sm text-ink-soft hover:text-ink"
          >
            <ArrowLeft className="size-3.5" aria-hidden />
            All organisations
          </Link>
        )}
      </div>
      <PaletteButton onOpen={onNavigate} />
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-2 pb-2">
        {sections.map(({ title, entries }) => (
          <section key={title ?? entries[0]?.page} className="mb-3">
            {title !== undefined && (
              <h2 className="px-2 pb-1 text-xs font-medium text-ink-faint">{title}</h2>
            )}
            <ul>
              {entries.map((entry) => (
                <li key={entry.page}>
                  <NavigationEntry
                    entry={entry}
                    href={hrefOf(entry.page)}
                    onNavigate={onNavigate}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="border-t p-2">
        <UserMenu />
      </div>
    </>
  );
}

/** The list may be longer than the window. */
const intoView = (link: HTMLElement | null): void => link?.scrollIntoView({ block: 'nearest' });

/** No menu to close. */
const stay = (): void => undefined;

const ROW = 'flex h-8 items-center gap-2.5 rounded-md px-2 [&_svg]:size-4 [&_svg]:shrink-0';

interface NavigationEntryProps {
  entry: Entry;
  href: string;
  onNavigate: () => void;
}

function NavigationEntry({ entry, href, onNavigate }: NavigationEntryProps) {
  const path = href.split('?')[0] ?? href;
  const pathname = usePathname();
  const here = pathname === path || pathname.startsWith(`${path}/`);
  const { icon: Icon, label, ready } = entry;
  if (ready !== true) {
    return (
      <span
        role="link"
        aria-disabled
        className={clsx(ROW, 'cursor-default text-ink-off')}
        title="Not available in the console yet"
      >
        <Icon aria-hidden />
        {label}
        <span className="ml-auto text-xs">soon</span>
      </span>
    );
  }
  return (
    <Link
      ref={here ? intoView : undefined}
      href={href}
      aria-current={here ? 'page' : undefined}
      onClick={onNavigate}
      className={clsx(
        ROW,
        here
          ? 'bg-accent-soft font-medium text-accent'
          : 'text-ink-soft hover:bg-hover hover:text-ink',
      )}
    >
      <Icon aria-hidden />
      {label}
    </Link>
  );
}
