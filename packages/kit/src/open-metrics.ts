import type { Exemplars } from './exemplars';

// The exposition format OpenMetrics 1.0, written from that of Prometheus: families of counters are named without
// _total, buckets have their exemplars, and a last line says that nothing is missing.

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const SAMPLE = /^([a-zA-Z_:][\w:]*)_bucket\{(.*)\} (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** Whether a scraper that sends this `Accept` header prefers OpenMetrics to the format of Prometheus. */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
  const best = (wanted: string): number =>
    Math.max(0, ...weights.filter(({ type }) => type === wanted).map(({ q }) => q));
  const open = best('application/openmetrics-text');
  return open > 0 && open >= best('text/plain');
}

/** `text` is in the format of Prometheus. */
export function openMetricsText(text: string, exemplars: Exemplars): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const counters = new Set(
    lines.flatMap((line) => /^# TYPE (\S+)_total counter$/.exec(line)?.[1] ?? []),
  );
  const written = lines.map((line) => {
    const [, what, name, rest] = /^# (HELP|TYPE) (\S+)_total (.*)$/.exec(line) ?? [];
    if (what !== undefined && name !== undefined && counters.has(name)) {
      return `# ${what} ${name} ${rest ?? ''}`;
    }
    return line.startsWith('#') ? line : withExemplar(line, exemplars);
  });
  return [...written, '# EOF', ''].join('\n');
}

function withExemplar(line: string, exemplars: Exemplars): string {
  const [, histogram, inside] = SAMPLE.exec(line) ?? [];
  if (histogram === undefined || inside === undefined) return line;
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of inside.matchAll(LABEL)) labels[name] = unescaped(value);
  const { le = '', service: _service, ...own } = labels;
  const exemplar = exemplars.of(histogram, le, own);
  if (exemplar === undefined) return line;
  const { traceId, value, atMs } = exemplar;
  return `${line} # {trace_id="${traceId}"} ${String(value)} ${(atMs / 1_000).toFixed(3)}`;
}

const unescaped = (value: string): string =>
  value.replaceAll(/\\[n"\\]/g, (escape) => ESCAPED[escape] ?? escape);
