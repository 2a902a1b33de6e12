'use client';

import { CircleCheck } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';

import { Button } from './button';
import { Failure } from './failure';

const SHOWN_MS = 5_000;
/** Long enough to read the toast, notice a mistake and reach Undo by keyboard. */
const UNDO_MS = 12_000;
const AT_ONCE = 3;

/** Undoes the action. */
export interface Undo {
  /** A rejection is shown as a failure. */
  readonly run: () => Promise<unknown>;
  /** The toast after the undo. */
  readonly done: string;
}

type Say = (message: string, undo?: Undo) => void;
/** `what` says what failed, unless the error's own message does. */
type Fail = (error: unknown, what?: string) => void;
interface Said {
  readonly id: number;
  readonly message: string;
  readonly undo?: Undo | undefined;
}
interface Failed {
  readonly id: number;
  readonly what: string | undefined;
  readonly error: unknown;
}

const Toasts = createContext<{ readonly say: Say; readonly fail: Fail }>({
  say: () => undefined,
  fail: () => undefined,
});

/**
 * Announces in a corner that something is done, with Undo where possible. A toast disappears by
 * itself, but not while focused or hovered; F8 moves the focus to it.
 */
export function useToast(): Say {
  return use(Toasts).say;
}

/**
 * Shows a failure that has no place of its own on the page, in the corner of the toasts, until it is closed. Other failures
 * are shown where they happen.
 */
export function useFailure(): Fail {
  return use(Toasts).fail;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<readonly Said[]>([]);
  const [failures, setFailures] = useState<readonly Failed[]>([]);
  const say = useCallback<Say>(
    (message, undo) => setAll((shown) => added(shown, { message, undo })),
    [],
  );
  const fail = useCallback<Fail>(
    (error, what) => setFailures((shown) => added(shown, { error, what })),
    [],
  );
  const takeBack = async ({ run, done }: Undo): Promise<void> => {
    try {
      await run();
      say(done);
    } catch (error) {
      fail(error, 'Undo failed.');
    }
  };

  return (
    <Toast.Provider duration={SHOWN_MS}>
      <Toasts value={useMemo(() => ({ say, fail }), [say, fail])}>{children}</Toasts>
      {all.map((said) => (
        <OneToast
          key={said.id}
          said={said}
          onUndo={(undo) => void takeBack(undo)}
          onClose={() => setAll((shown) => shown.filter(({ id }) => id !== said.id))}
        />
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-60 flex flex-col items-end gap-2 outline-none sm:left-auto">
        {failures.map((failed) => (
          <OneFailure
            key={failed.id}
            failed={failed}
            onClose={() => setFailures((shown) => shown.filter(({ id }) => id !== failed.id))}
          />
        ))}
      </Toast.Viewport>
    </Toast.Provider>
  );
}

/** The last ones and one more. */
function added<Entry extends { readonly id: number }>(
  shown: readonly Entry[],
  entry: Omit<Entry, 'id'>,
): readonly Entry[] {
  const id = (shown.at(-1)?.id ?? 0) + 1;
  return [...shown.slice(1 - AT_ONCE), { ...entry, id } as Entry];
}

interface OneFailureProps {
  readonly failed: Failed;
  readonly onClose: () => void;
}

function OneFailure({ failed: { what, error }, onClose }: OneFailureProps) {
  return (
    // A modal window takes the pointer from everything outside of it.
    <li className="pointer-events-auto w-full max-w-md rounded-lg border bg-raised shadow-raised">
      <Failure error={error} what={what} onClose={onClose} />
    </li>
  );
}

interface OneToastProps {
  readonly said: Said;
  readonly onUndo: (undo: Undo) => void;
  readonly onClose: () => void;
}

function OneToast({ said: { message, undo }, onUndo, onClose }: OneToastProps) {
  return (
    <Toast.Root
      onOpenChange={onClose}
      duration={undo === undefined ? SHOWN_MS : UNDO_MS}
      className="flex max-w-md items-center gap-2 rounded-lg border bg-raised px-4 py-3 shadow-raised data-[state=open]:animate-appear"
    >
      <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
      <Toast.Description className="min-w-0 break-words">{message}</Toast.Description>
      {undo !== undefined && (
        <Toast.Action altText="Undo: press F8 to reach it." asChild>
          <Button size="small" className="ml-2 shrink-0" onClick={() => onUndo(undo)}>
            Undo
          </Button>
        </Toast.Action>
      )}
    </Toast.Root>
  );
}
