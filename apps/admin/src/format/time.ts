// Instants are shown in the organisation's time zone, like its budgets and reports. Server and
// browser produce the same text, whatever their zone and language.

type Parts = Intl.DateTimeFormatOptions;

const FORMATS = {
  day: { day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  minute: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  moment: {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
} as const satisfies Record<string, Parts>;
export type TimeFormat = keyof typeof FORMATS;

const formatters = new Map<string, Intl.DateTimeFormat>();

export function showTime(instant: string | number, format: TimeFormat, timeZone: string): string {
  const name = `${format} ${timeZone}`;
  let formatter = formatters.get(name);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-GB', { ...FORMATS[format], timeZone });
    formatters.set(name, formatter);
  }
  return formatter.format(new Date(instant));
}
