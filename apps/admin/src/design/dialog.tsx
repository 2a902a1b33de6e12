'use client';

import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { AlertDialog as Alert, Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

import { IconButton } from './button';

const VEIL = 'fixed inset-0 z-40 bg-veil data-[state=open]:animate-appear';
const BOX =
  'fixed z-50 flex max-h-[92dvh] flex-col bg-raised shadow-raised outline-none ' +
  'inset-x-0 bottom-0 rounded-t-lg border-t ' +
  'sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-2rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 ' +
  'sm:rounded-lg sm:border';

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description: string;
  /** `double` is wide enough for two columns on large screens. */
  readonly wide?: boolean | 'double';
  readonly children: ReactNode;
}

/** A modal dialog; a bottom sheet on phones. Escape and the close button close it. */
export function Dialog({ open, onOpenChange, title, description, wide, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={VEIL} />
        <Radix.Content className={clsx(BOX, widthOf(wide))}>
          <header className="flex items-start gap-4 border-b px-5 py-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              <Radix.Description className="text-ink-soft">{description}</Radix.Description>
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" size="small">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function widthOf(wide: DialogProps['wide']): string {
  if (wide === 'double') return 'sm:max-w-2xl lg:max-w-5xl';
  return wide === true ? 'sm:max-w-2xl' : 'sm:max-w-lg';
}

export function DialogBody({ children }: { children: ReactNode }) {
  return <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 py-4">{children}</div>;
}

export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{children}</footer>
  );
}

/** A modal question. A click outside does not close it. */
export function AlertDialog({ open, onOpenChange, title, description, children }: DialogProps) {
  return (
    <Alert.Root open={open} onOpenChange={onOpenChange}>
      <Alert.Portal>
        <Alert.Overlay className={VEIL} />
        <Alert.Content className={clsx(BOX, 'sm:max-w-md')}>
          <header className="border-b px-5 py-4">
            <Alert.Title className="text-lg font-semibold">{title}</Alert.Title>
            <Alert.Description className="text-ink-soft">{description}</Alert.Description>
          </header>
          {children}
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  );
}
