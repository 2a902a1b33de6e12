import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';

import { startCall } from './call';

type Handler = Required<Dispatcher.DispatchHandler>;

/** A call whose upstream is the test itself. */
function calling(responseLimitBytes: number) {
  let handler: Handler | undefined;
  const controller = {
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  } as unknown as Dispatcher.DispatchController;
  const dispatcher = {
    dispatch: (_options: unknown, given: Handler) => {
      handler = given;
      given.onRequestStart(controller, {});
      return true;
    },
  } as unknown as Dispatcher;
  const call = startCall({
    dispatcher,
    origin: 'http://upstream.example',
    path: '/',
    headers: {},
    body: '',
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    totalTimeoutMs: 60_000,
    responseLimitBytes,
  });
  const upstream = handler as unknown as Handler;
  return {
    call,
    begin: () => upstream.onResponseStart(controller, 200, { 'content-encoding': 'gzip' }, 'OK'),
    send: (chunk: Buffer) => upstream.onResponseData(controller, chunk),
  };
}

test('a compressed answer that is too large fails once, and yields nothing more', async () => {
  const { call, begin, send } = calling(100_000);
  begin();
  const answer = await call.answer;
  const seen: string[] = [];
  const failed = new Promise<void>((resolve) => {
    answer.read({
      data: () => (seen.push('data'), true),
      end: () => seen.push('end'),
      fail: () => {
        seen.push('fail');
        resolve();
      },
    });
  });
  // Decompressed in many chunks, of which the first few exceed the limit.
  send(gzipSync(Buffer.alloc(4_000_000)));
  await failed;
  const heard = seen.length;
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toHaveLength(heard);
  expect(seen.filter((what) => what !== 'data')).toEqual(['fail']);
});

test('an aborted call yields nothing of its running decompression', async () => {
  const { call, begin, send } = calling(100_000_000);
  begin();
  const answer = await call.answer;
  const seen: string[] = [];
  answer.read({
    data: () => (seen.push('data'), true),
    end: () => seen.push('end'),
    fail: () => seen.push('fail'),
  });
  send(gzipSync(Buffer.alloc(4_000_000)));
  call.abort();
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['fail']);
});
