// Tests of traces: a collector for a file of tests, and the spans of what each test does.

import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@tollgate/simulator';

import type { Config } from '../config';
import { until } from './harness';

/** A trace of a caller, and its span. */
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
export const CALLER = '00f067aa0ba902b7';
export const parentOf = (trace: string, flags = '01'): string => `00-${trace}-${CALLER}-${flags}`;

/** By OpenTelemetry's numbers. */
export const INTERNAL = 1;
export const SERVER = 2;
export const CLIENT = 3;

interface Traceable {
  readonly policy: { readonly heldNow: () => number };
  readonly stop: () => Promise<void>;
}

/** Starts a collector for the tests of a file. `start`: starts an edge. */
export function useReceiver<H extends Traceable>(start: (over: Partial<Config>) => Promise<H>) {
  let receiver: OtlpReceiver;
  beforeAll(async () => {
    receiver = await startOtlpReceiver();
  });
  beforeEach(() => {
    receiver.spans.length = 0;
    receiver.requests.length = 0;
  });
  afterAll(() => receiver.stop());

  return {
    receiver: () => receiver,
    /**
     * The spans of what `use` does with an edge. The last ones are sent when the edge stops, so that nothing has
     * to be waited for.
     */
    traced: async (
      over: Partial<Config>,
      use: (h: H) => Promise<unknown>,
    ): Promise<readonly ReceivedSpan[]> => {
      const h = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.httpUrl, ...over });
      try {
        await use(h);
        await until(() => h.policy.heldNow() === 0, 'the holds to end');
      } finally {
        await h.stop();
      }
      return receiver.spans;
    },
  };
}

/** The only span of a name. */
export function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  if (!found[0] || found.length > 1) {
    throw new Error(`${found.length} spans ${name} in ${spans.map((span) => span.name).join()}`);
  }
  return found[0];
}

/** Spans as a text, to look for what must not be in them. */
export function printed(spans: readonly ReceivedSpan[]): string {
  return JSON.stringify(spans, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
