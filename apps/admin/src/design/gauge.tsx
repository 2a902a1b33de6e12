import { clsx } from 'clsx';

const BARS = { good: 'bg-accent', warn: 'bg-warn', bad: 'bg-bad' } as const;

interface GaugeProps {
  readonly label: string;
  /** The value for screen readers, instead of the percentage. */
  readonly text: string;
  /** Parts of the whole, 0 to 1. */
  readonly spent: number;
  readonly held: number;
}

const NEAR = 0.8;

/** Shows the used part of a limit, followed by the held part in a lighter shade. */
export function Gauge({ label, text, spent, held }: GaugeProps) {
  const used = Math.min(1, spent);
  const waiting = Math.min(1 - used, held);
  const level = spent >= 1 ? 'bad' : spent + held >= NEAR ? 'warn' : 'good';
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(used * 100)}
      aria-valuetext={text}
      className="flex h-2 overflow-hidden rounded-full bg-sunken"
    >
      <span className={clsx('h-full', BARS[level])} style={{ width: percent(used) }} />
      <span
        className={clsx('h-full opacity-40', BARS[level])}
        style={{ width: percent(waiting) }}
      />
    </div>
  );
}

function percent(part: number): string {
  return `${Math.max(0, part * 100).toFixed(2)}%`;
}
