'use client';

import { CircleCheck } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';

const SHOWN_MS = 5_000;

const Say = createContext<(message: string) => void>(() => undefined);

/** Says in a corner that something is done. What failed is said where it failed, and stays. */
export function useToast(): (message: string) => void {
  return use(Say);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly { id: number; message: string }[]>([]);
  const say = useCallback((message: string) => {
    setMessages((shown) => [...shown.slice(-2), { id: (shown.at(-1)?.id ?? 0) + 1, message }]);
  }, []);

  return (
    <Toast.Provider duration={SHOWN_MS}>
      <Say value={say}>{children}</Say>
      {messages.map(({ id, message }) => (
        <Toast.Root
          key={id}
          onOpenChange={() => setMessages((shown) => shown.filter((other) => other.id !== id))}
          className="flex items-center gap-2 rounded-lg border bg-raised px-4 py-3 shadow-raised data-[state=open]:animate-appear"
        >
          <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
          <Toast.Description>{message}</Toast.Description>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-60 flex flex-col items-end gap-2 outline-none sm:left-auto" />
    </Toast.Provider>
  );
}
