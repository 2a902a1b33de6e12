import fc from 'fast-check';

import { createExemplars } from './exemplars';
import { createMetrics } from './metrics';
import { OPEN_METRICS_TYPE, openMetricsText, prefersOpenMetrics } from './open-metrics';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

test.each<[accept: string | undefined, open: boolean]>([
  [undefined, false],
  ['*/*', false],
  ['text/plain;version=0.0.4', false],
  ['application/openmetrics-text', true],
  ['application/openmetrics-text;q=0, */*', false],
  ['text/plain;version=0.0.4;q=0.5, application/openmetrics-text;version=1.0.0;q=0.4', false],
  [PROMETHEUS_3, true],
])('a scraper that accepts %s gets OpenMetrics: %s', (accept, open) => {
  expect(prefersOpenMetrics(accept)).toBe(open);
});

function open() {
  const metrics = createMetrics({ service: 'edge' });
  const seconds = metrics.histogram('edge_seconds', 'Times.', ['route', 'status'], [0.1, 1]);
  metrics.counter('edge_calls_total', 'Calls.', ['code']).inc({ code: 'ok' });
  const observe = (route: string, value: number, traceId?: string): void => {
    seconds.observe({ route, status: 200 }, value);
    const labels = { route, status: 200 };
    if (traceId) metrics.exemplar('edge_seconds', labels, value, traceId);
  };
  const lines = async (accept: string): Promise<string[]> => {
    const { text } = await metrics.exposition(accept);
    return text.split('\n').filter((line) => /edge_|EOF/.test(line));
  };
  return { metrics, observe, lines };
}

test('each bucket has its last trace, families of counters have no suffix, and the text ends', async () => {
  const { metrics, observe, lines } = open();
  observe('/v1/chat', 0.04, 'f'.repeat(32));
  observe('/v1/chat', 0.05, TRACE);
  observe('/v1/chat', 0.5);
  observe('/v1/chat', 7, TRACE);
  expect((await metrics.exposition(PROMETHEUS_3)).contentType).toBe(OPEN_METRICS_TYPE);
  const shown = await lines(PROMETHEUS_3);
  const labels = (le: string): string =>
    `edge_seconds_bucket{le="${le}",service="edge",route="/v1/chat",status="200"}`;
  expect(shown.map((line) => line.replace(/ \d{10}\.\d{3}$/, ' AT'))).toEqual([
    '# HELP edge_seconds Times.',
    '# TYPE edge_seconds histogram',
    `${labels('0.1')} 2 # {trace_id="${TRACE}"} 0.05 AT`,
    `${labels('1')} 3`,
    `${labels('+Inf')} 4 # {trace_id="${TRACE}"} 7 AT`,
    'edge_seconds_sum{service="edge",route="/v1/chat",status="200"} 7.59',
    'edge_seconds_count{service="edge",route="/v1/chat",status="200"} 4',
    '# HELP edge_calls Calls.',
    '# TYPE edge_calls counter',
    'edge_calls_total{code="ok",service="edge"} 1',
    '# EOF',
  ]);
  expect((await lines('text/plain')).some((line) => line.includes(' # '))).toBe(false);
});

test('an exemplar is found by any value of a label', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (route) => {
      const { observe, lines } = open();
      observe(route, 0.05, TRACE);
      const shown = (await lines(PROMETHEUS_3)).join('\n');
      expect(shown.split(TRACE)).toHaveLength(2);
    }),
    { numRuns: 100 },
  );
});

test('memory for exemplars is bounded, and those that are there are renewed', () => {
  const exemplars = createExemplars(2);
  const note = (route: string, traceId: string): void =>
    exemplars.note('h', [1], { route }, { traceId, value: 0.5, atMs: 0 });
  note('a', 'first');
  note('b', 'first');
  note('c', 'first');
  note('a', 'second');
  const kept = ['a', 'b', 'c'].map((route) => exemplars.of('h', '1', { route })?.traceId);
  expect(kept).toEqual(['second', 'first', undefined]);
});

test('an exemplar of no histogram is a fault of the caller', () => {
  const { metrics } = open();
  expect(() => metrics.exemplar('other', {}, 1, TRACE)).toThrow('other is no histogram');
  expect(openMetricsText('', createExemplars())).toBe('# EOF\n');
});
