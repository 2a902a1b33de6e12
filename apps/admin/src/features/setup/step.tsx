import { clsx } from 'clsx';
import { CircleCheck } from 'lucide-react';
import { useId, type ReactNode } from 'react';

import { Badge } from '../../design/badge';

export type StepState = 'done' | 'current' | 'waiting';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** What there is, once the step is done. */
  readonly summary?: ReactNode;
  readonly children?: ReactNode;
}

/** One step of the guide: what to do now, or what there is already. */
export function Step({ number, title, state, summary, children }: StepProps) {
  const titleId = useId();
  return (
    <li>
      <section
        aria-labelledby={titleId}
        aria-current={state === 'current' ? 'step' : undefined}
        className={clsx(
          'min-w-0 rounded-lg border bg-surface',
          state === 'current' && 'border-accent',
        )}
      >
        <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <Mark number={number} state={state} />
          <h2 id={titleId} className="font-semibold">
            {title}
          </h2>
          {state === 'done' && <Badge tone="good">done</Badge>}
          {state === 'current' && <Badge tone="accent">next</Badge>}
        </header>
        {state === 'done' && summary !== undefined && (
          <div className="border-t px-4 py-3 text-sm text-ink-soft">{summary}</div>
        )}
        {children !== undefined && children !== false && (
          <div className="flex flex-col gap-4 border-t p-4">{children}</div>
        )}
      </section>
    </li>
  );
}

function Mark({ number, state }: { number: number; state: StepState }) {
  if (state === 'done') return <CircleCheck className="size-6 text-good" aria-hidden />;
  return (
    <span
      aria-hidden
      className={clsx(
        'flex size-6 items-center justify-center rounded-full text-sm font-semibold',
        state === 'current' ? 'bg-accent text-on-accent' : 'bg-sunken text-ink-soft',
      )}
    >
      {number}
    </span>
  );
}
