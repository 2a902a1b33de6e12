import type { SessionRequest } from '@tollgate/contracts/node';
import { createSession } from './session';

function open() {
  const frames: SessionRequest[] = [];
  let ended = false;
  const session = createSession({
    stream: {
      write: (frame) => frames.push(frame),
      end: () => (ended = true),
      cancel: () => undefined,
      onFrame: () => undefined,
      onClosed: () => undefined,
    },
    window: 10,
    nowMs: () => 0,
    onFrame: () => undefined,
    onDraining: () => undefined,
    onClosed: () => undefined,
  });
  return { frames, session, ended: () => ended };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const item = () => ({
  payload: { kind: 'extend', message: {} } as const,
  dueMs: 1,
  sentMs: 0,
  waiting: true,
  answered: () => undefined,
  late: () => undefined,
});

test('reports leave with the items of their turn, and no frame without any names them', async () => {
  const { frames, session } = open();
  session.send(item());
  await turn();
  session.report({ modelId: 'a' });
  session.send(item());
  session.report({ modelId: 'b' });
  await turn();
  expect(frames).toEqual([
    { items: [{ correlationId: 1, extend: {} }] },
    { items: [{ correlationId: 2, extend: {} }], attempts: [{ modelId: 'a' }, { modelId: 'b' }] },
  ]);
  session.cancel('over');
});

test('what was refused here travels along as well', async () => {
  const { frames, session } = open();
  session.refused({ code: 'invalid_request' });
  session.send(item());
  await turn();
  const [first] = frames;
  expect(first).toEqual({
    items: [{ correlationId: 1, extend: {} }],
    refusals: [{ code: 'invalid_request' }],
  });
  session.refused({ code: 'unsupported_parameter' });
  session.retire(1_000);
  expect(session.refused({ code: 'invalid_request' })).toBe(false);
  await turn();
  expect(frames[1]).toEqual({ items: [], refusals: [{ code: 'unsupported_parameter' }] });
  session.cancel('over');
});

test('no frame holds more reports than policy takes', async () => {
  const { frames, session } = open();
  for (let n = 0; n < 300; n += 1) session.report({ modelId: String(n) });
  await turn();
  expect(frames.map(({ attempts }) => attempts?.length)).toEqual([256, 44]);
});

test('a session that retires sends what it has been told, and takes no more', async () => {
  const { frames, session, ended } = open();
  expect(session.report({ modelId: 'a' })).toBe(true);
  session.retire(1_000);
  expect(session.report({ modelId: 'b' })).toBe(false);
  await turn();
  expect(frames).toEqual([{ items: [], attempts: [{ modelId: 'a' }] }]);
  expect(ended()).toBe(true);
  session.cancel('over');
});
