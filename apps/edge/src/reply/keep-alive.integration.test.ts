import { delta, DONE, openSse, role, stop, usageChunk } from '../test-support/fake-upstream';
import { startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ STREAM_KEEP_ALIVE_MS: 20 });
});
afterAll(() => h.stop());

test('a messages stream of a provider that does not ping has pings while that is silent', async () => {
  let goOn: () => void = () => undefined;
  h.upstream.script = (res) => {
    openSse(res);
    res.write(role() + delta('one'));
    goOn = () => res.end(delta('two') + stop() + usageChunk() + DONE);
  };
  const answer = await h.post('/v1/messages', {
    model: 'house-model',
    max_tokens: 64,
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.split('event: ping').length < 3) text += (await reader?.read())?.value ?? '';
  goOn();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
  }
  const types = text.split('\n\n').map((event) => event.split('\n')[0]);
  expect(types[0]).toBe('event: message_start');
  expect(types.filter((type) => type === 'event: content_block_delta')).toHaveLength(2);
  expect(types.at(-2)).toBe('event: message_stop');
});
