import { showTime, type TimeFormat } from '../format/time';

interface WhenProps {
  /** Null shows `never` in a faint colour. */
  readonly instant: string | null;
  readonly timeZone: string;
  readonly format?: TimeFormat;
  readonly never?: string;
}

/** An instant in the organisation's time zone. The tooltip has the seconds. */
export function When({ instant, timeZone, format = 'date', never = 'never' }: WhenProps) {
  if (instant === null) return <span className="text-ink-faint">{never}</span>;
  return (
    <time
      dateTime={instant}
      title={showTime(instant, 'moment', timeZone)}
      className="whitespace-nowrap text-ink-soft"
    >
      {showTime(instant, format, timeZone)}
    </time>
  );
}
