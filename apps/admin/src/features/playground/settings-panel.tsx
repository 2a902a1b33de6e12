'use client';

import { clsx } from 'clsx';
import { ChevronDown, SlidersHorizontal } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';

interface SettingsPanelProps {
  /** A summary of the settings on the closed panel. */
  readonly summary: string;
  /** Keeps the panel open while it has errors. */
  readonly urgent: boolean;
  readonly children: ReactNode;
}

/**
 * Settings beside the conversation. On narrow screens a line opens them, so that the conversation
 * stays on top.
 */
export function SettingsPanel({ summary, urgent, children }: SettingsPanelProps) {
  const [chosen, setChosen] = useState(false);
  const panel = useId();
  const open = chosen || urgent;
  return (
    <div className="min-w-0 lg:min-h-0 lg:overflow-y-auto">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panel}
        disabled={urgent}
        onClick={() => setChosen(!open)}
        className={clsx(
          'flex min-h-11 w-full items-center gap-2 rounded-lg border bg-surface px-4 py-2 text-left hover:bg-hover lg:hidden',
          open && 'mb-3',
        )}
      >
        <SlidersHorizontal className="size-4 shrink-0 text-ink-faint" aria-hidden />
        <span className="font-medium">Settings</span>
        <span className="min-w-0 flex-1 truncate text-right text-sm text-ink-soft">{summary}</span>
        <ChevronDown
          className={clsx('size-4 shrink-0 text-ink-faint', open && 'rotate-180')}
          aria-hidden
        />
      </button>
      <div id={panel} className={clsx(!open && 'max-lg:hidden')}>
        <section aria-label="Settings" className="rounded-lg border bg-surface">
          <h2 className="border-b px-4 py-3 font-semibold max-lg:hidden">Settings</h2>
          <div className="p-4">{children}</div>
        </section>
      </div>
    </div>
  );
}
