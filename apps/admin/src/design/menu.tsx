'use client';

import { clsx } from 'clsx';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { IconButton } from './button';

const ITEM =
  'flex h-8 items-center gap-2 rounded-sm px-2 outline-none data-disabled:opacity-55 ' +
  'data-highlighted:bg-hover [&_svg]:size-4';

/** A menu entry: a link, or an action, possibly behind a confirmation. */
export type MenuAction = {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly danger?: boolean;
} & ({ readonly href: string } | { readonly onSelect: () => void });

interface ActionMenuProps {
  /** The accessible name: "Actions for Search team". */
  readonly label: string;
  readonly actions: readonly MenuAction[];
}

/** A menu of the less frequent actions of a row or a page. */
export function ActionMenu({ label, actions }: ActionMenuProps) {
  if (actions.length === 0) return null;
  return (
    <Menu
      trigger={
        <IconButton label={label} size="small">
          <Ellipsis />
        </IconButton>
      }
    >
      {actions.map((action) => (
        <Item key={action.label} action={action} />
      ))}
    </Menu>
  );
}

function Item({ action }: { action: MenuAction }) {
  const { label, icon: Icon, danger = false } = action;
  const inside = (
    <>
      <Icon aria-hidden className={danger ? 'text-bad' : 'text-ink-soft'} />
      {label}
    </>
  );
  const className = clsx(ITEM, danger && 'text-bad');
  if ('href' in action) {
    return (
      <DropdownMenu.Item asChild className={className}>
        <Link href={action.href}>{inside}</Link>
      </DropdownMenu.Item>
    );
  }
  return (
    <DropdownMenu.Item className={className} onSelect={action.onSelect}>
      {inside}
    </DropdownMenu.Item>
  );
}

export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={12}
          className="z-50 min-w-44 rounded-lg border bg-raised p-1 shadow-raised data-[state=open]:animate-appear"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface CheckItemProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}

/** A menu checkbox. The menu stays open, so that several can be changed. */
export function CheckItem({ checked, disabled = false, onChange, children }: CheckItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={ITEM}
    >
      <span aria-hidden className="w-4 text-center text-accent">
        {checked && '✓'}
      </span>
      {children}
    </DropdownMenu.CheckboxItem>
  );
}
