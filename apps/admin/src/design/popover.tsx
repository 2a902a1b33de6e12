'use client';

import { clsx } from 'clsx';
import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

import { keepEscape } from './escape';

interface PopoverProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** The element that opens it, which must take a ref. The focus returns to it. */
  readonly trigger: ReactNode;
  /** The accessible name of the content. */
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A layer beside what opened it, for a list of choices. Escape clears the search first, then closes this layer only. */
export function Popover(props: PopoverProps) {
  const { open, onOpenChange, trigger, label, className, children } = props;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={4}
          collisionPadding={12}
          aria-label={label}
          onEscapeKeyDown={keepEscape}
          className={clsx(
            'z-50 overflow-hidden rounded-lg border bg-raised shadow-raised outline-none data-[state=open]:animate-appear',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
