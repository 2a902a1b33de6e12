// A scraper that asks for OpenMetrics is told of a trace in each bucket that has one.

import { completion } from '../test-support/fake-upstream';
import { chat, startHarness } from '../test-support/harness';
import { CALLER, parentOf, TRACE, useReceiver } from '../test-support/traces';

const CHAT = '/v1/chat/completions';
const ACCEPT = { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' };

const { traced } = useReceiver(startHarness);

test('a traced request is an exemplar of its bucket, one that is not traced is none', async () => {
  let text = '';
  let plain = '';
  let type = '';
  await traced({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, async (h) => {
    h.upstream.script = (res) => completion(res, {});
    const ask = async (flags: string): Promise<void> => {
      const traceparent = parentOf(TRACE).replace(/-01$/, `-${flags}`);
      await (await h.post(CHAT, chat(), { traceparent })).text();
      await h.settled();
    };
    await ask('00');
    expect(await (await h.ops('/metrics', ACCEPT)).text()).not.toContain('trace_id');
    await ask('01');
    const answer = await h.ops('/metrics', ACCEPT);
    type = answer.headers.get('content-type') ?? '';
    text = await answer.text();
    plain = await (await h.ops('/metrics')).text();
  });
  expect(type).toContain('application/openmetrics-text; version=1.0.0');
  const samples = text.split('\n').filter((line) => line.includes(TRACE));
  expect(samples).toHaveLength(1);
  expect(samples[0]).toMatch(
    /^tollgate_edge_request_seconds_bucket\{.*route="\/v1\/chat\/completions",status="200"\} [12] # \{trace_id="\w{32}"\} [\d.e-]+ \d{10}\.\d{3}$/,
  );
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  expect(plain).not.toContain(TRACE);
  expect(plain).not.toContain(CALLER);
});
