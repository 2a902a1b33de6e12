'use client';

import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { AlertDialog as Alert, Dialog as Radix } from 'radix-ui';
import { useEffect, useState, type ReactNode } from 'react';

import { Button, IconButton } from './button';
import { keepEscape } from './escape';
import { useFocusReturn } from './focus-return';

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
  /**
   * Question asked when Escape, the close button or a click outside would close the dialog, which shows something
   * that cannot be shown again. Buttons of the content close it without a question.
   */
  readonly closeQuestion?: string | undefined;
  readonly children: ReactNode;
}

/** A modal dialog; a bottom sheet on phones. Escape, the close button and a click outside close it. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, wide, closeQuestion, children } = props;
  const [asking, setAsking] = useState(false);
  const asked = asking && closeQuestion !== undefined;
  useUnloadWarning(open && closeQuestion !== undefined);
  const giveBackFocus = useFocusReturn(open);

  const change = (next: boolean): void => {
    if (!next && closeQuestion !== undefined) {
      setAsking(true);
      return;
    }
    onOpenChange(next);
  };
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className={VEIL} />
        <Radix.Content
          className={clsx(BOX, widthOf(wide))}
          onCloseAutoFocus={giveBackFocus}
          onEscapeKeyDown={keepEscape}
        >
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
          {asked && (
            <CloseQuestion
              question={closeQuestion}
              onStay={() => setAsking(false)}
              onLeave={() => {
                setAsking(false);
                onOpenChange(false);
              }}
            />
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface CloseQuestionProps {
  readonly question: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

function CloseQuestion({ question, onStay, onLeave }: CloseQuestionProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 bg-warn-soft px-5 py-3">
      <p className="min-w-0 flex-1 font-medium">{question}</p>
      <Button size="small" onClick={onStay} autoFocus>
        Keep it open
      </Button>
      <Button size="small" look="danger" onClick={onLeave}>
        Close anyway
      </Button>
    </div>
  );
}

/** The browser asks before it leaves the page. */
function useUnloadWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
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
  const giveBackFocus = useFocusReturn(open);
  return (
    <Alert.Root open={open} onOpenChange={onOpenChange}>
      <Alert.Portal>
        <Alert.Overlay className={VEIL} />
        <Alert.Content
          className={clsx(BOX, 'sm:max-w-md')}
          onCloseAutoFocus={giveBackFocus}
          onEscapeKeyDown={keepEscape}
        >
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
