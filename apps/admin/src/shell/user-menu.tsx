'use client';

import { ChevronsUpDown, ListChecks, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';

import { sentence } from '../format/words';
import { ORGANISATION_PARAMETER, pageIn, pageOf } from './paths';
import { useMay, useScope } from './scope';
import { useSignOut } from './sign-out';
import { applyTheme, themeOf, THEMES, type Theme } from './theme';

const ITEM =
  'flex h-8 items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:text-ink-soft';
const ICONS = { system: Monitor, light: Sun, dark: Moon };
const LABELS: Record<Theme, string> = { system: 'System setting', light: 'Light', dark: 'Dark' };

export function UserMenu() {
  const scope = useScope();
  const { me } = scope;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={`Account: ${me.name}`}
        className="flex w-full items-center gap-2.5 rounded-md p-2 text-left hover:bg-hover data-[state=open]:bg-hover"
      >
        <span
          aria-hidden
          className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
        >
          {me.name.charAt(0).toUpperCase()}
        </span>
        <span className="min-w-0 flex-1 leading-tight">
          <span className="block truncate text-sm font-medium">{me.name}</span>
          <span className="block truncate text-xs text-ink-faint">{sentence(me.role)}</span>
        </span>
        <ChevronsUpDown className="size-4 text-ink-faint" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 w-60 rounded-lg border bg-raised p-1 shadow-raised data-[state=open]:animate-appear"
        >
          <p className="truncate px-2 py-1.5 text-sm text-ink-soft">{me.email}</p>
          <DropdownMenu.Item asChild className={ITEM}>
            <Link href={pageOf(scope, 'account')}>
              <UserRound aria-hidden />
              Account
            </Link>
          </DropdownMenu.Item>
          <SetupLink />
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <ThemeChoice />
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <SignOut />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The guide, also after its card on the dashboard was dismissed. */
function SetupLink() {
  const scope = useScope();
  const { me, organisation } = scope;
  // A page of the platform keeps its organisation outside of this menu's scope.
  const looked = useSearchParams().get(ORGANISATION_PARAMETER);
  if (!useMay('providers.write')) return null;
  const home = me.organisation ?? organisation;
  return (
    <DropdownMenu.Item asChild className={ITEM}>
      <Link href={pageIn({ organisation: home }, 'setup', looked)}>
        <ListChecks aria-hidden />
        Set-up guide
      </Link>
    </DropdownMenu.Item>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(() => themeOf(document.documentElement.dataset['theme']));
  return (
    <DropdownMenu.RadioGroup
      value={theme}
      onValueChange={(value) => {
        const chosen = themeOf(value);
        applyTheme(chosen);
        setTheme(chosen);
      }}
    >
      <DropdownMenu.Label className="px-2 py-1 text-xs text-ink-faint">
        Appearance
      </DropdownMenu.Label>
      {THEMES.map((value) => {
        const Icon = ICONS[value];
        return (
          <DropdownMenu.RadioItem
            key={value}
            value={value}
            className={ITEM}
            // The menu stays open, so that the choice is visible.
            onSelect={(event) => event.preventDefault()}
          >
            <Icon aria-hidden />
            {LABELS[value]}
            <DropdownMenu.ItemIndicator className="ml-auto text-accent">
              ●
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        );
      })}
    </DropdownMenu.RadioGroup>
  );
}

function SignOut() {
  const signOut = useSignOut();
  return (
    <DropdownMenu.Item className={ITEM} onSelect={() => void signOut()}>
      <LogOut aria-hidden />
      Sign out
    </DropdownMenu.Item>
  );
}
