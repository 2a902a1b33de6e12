const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const part = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

export function showCount(count: number): string {
  return whole.format(count);
}

/** A short number, where precision does not matter: "1.2M". */
export function showShort(count: number): string {
  return short.format(count);
}

/** "12.5%"; of more than nothing never "0%". */
export function showPart(ratio: number): string {
  return ratio > 0 && ratio < 0.0005 ? '<0.1%' : part.format(ratio);
}

/** "840 ms", "1.24 s", "2 min 5 s". */
export function showDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showCount(count)} ${count === 1 ? one : many}`;
}
