'use client';

import { CircleAlert, CircleCheck } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';

import { Button } from './button';

const SHOWN_MS = 5_000;
/** Long enough to read the toast, notice a mistake and reach Undo by keyboard. */
const UNDO_MS = 12_000;
const AT_ONCE = 3;

/** Undoes the action. */
export interface Undo {
  /** A rejection is shown as the toast. */
  readonly run: () => Promise<unknown>;
  /** The toast after the undo. */
  readonly done: string;
}

type Say = (message: string, undo?: Undo) => void;
interface Said {
  readonly id: number;
  readonly message: string;
  readonly undo?: Undo | undefined;
  readonly failed?: boolean;
}

const SayContext = createContext<Say>(() => undefined);

/**
 * Announces in a corner that something is done, with Undo where possible. A toast disappears by
 * itself, but not while focused or hovered; F8 moves the focus to it. Failures are shown where they
 * happen and stay.
 */
export function useToast(): Say {
  return use(SayContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<readonly Said[]>([]);
  const add = useCallback((said: Omit<Said, 'id'>) => {
    setAll((shown) => [...shown.slice(1 - AT_ONCE), { ...said, id: (shown.at(-1)?.id ?? 0) + 1 }]);
  }, []);
  const say = useCallback<Say>((message, undo) => add({ message, undo }), [add]);
  const takeBack = ({ run, done }: Undo): void => {
    run().then(
      () => add({ message: done }),
      (error: unknown) =>
        add({
          message: `Undo failed. ${error instanceof Error ? error.message : String(error)}`,
          failed: true,
        }),
    );
  };

  return (
    <Toast.Provider duration={SHOWN_MS}>
      <SayContext value={say}>{children}</SayContext>
      {all.map((said) => (
        <OneToast
          key={said.id}
          said={said}
          onUndo={takeBack}
          onClose={() => setAll((shown) => shown.filter(({ id }) => id !== said.id))}
        />
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-60 flex flex-col items-end gap-2 outline-none sm:left-auto" />
    </Toast.Provider>
  );
}

interface OneToastProps {
  readonly said: Said;
  readonly onUndo: (undo: Undo) => void;
  readonly onClose: () => void;
}

function OneToast({ said: { message, undo, failed = false }, onUndo, onClose }: OneToastProps) {
  const Icon = failed ? CircleAlert : CircleCheck;
  return (
    <Toast.Root
      onOpenChange={onClose}
      duration={undo === undefined && !failed ? SHOWN_MS : UNDO_MS}
      className="flex max-w-md items-center gap-2 rounded-lg border bg-raised px-4 py-3 shadow-raised data-[state=open]:animate-appear"
    >
      <Icon className={`size-4 shrink-0 ${failed ? 'text-bad' : 'text-good'}`} aria-hidden />
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
