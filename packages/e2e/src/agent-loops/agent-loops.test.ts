// Agents of popular frameworks at every type of provider: two turns with a tool call each, the
// second one streamed, end with the tool's result, and every request is booked. CI runs the short
// form; with MATRIX=whole (`npm run sdk-matrix`) every cell is run.

import { join } from 'node:path';

import { startDriver, type Driver } from '../python-matrix/test-support/driver';
import { startRecorder, type Recorder } from '../python-matrix/test-support/recorder';
import { hasPython, pythonWith } from '../python-matrix/test-support/venv';
import { modelOf, startMatrix, type Matrix } from '../sdk-matrix/test-support/matrix';
import { UPSTREAMS } from '../sdk-matrix/test-support/upstreams';

const WHOLE = process.env['MATRIX'] === 'whole';
const START_TIMEOUT_MS = 600_000;

interface Loop {
  /** The name of a function in the framework's Python file. */
  readonly framework: string;
  readonly loop: string;
  /** The suffix of the model's name. */
  readonly kind: 'agent' | 'claude-sonnet-4-6';
}

/** The formats of each framework, its default first. */
const LOOPS: readonly Loop[] = [
  { framework: 'langchain', loop: 'by_chat', kind: 'agent' },
  { framework: 'langchain', loop: 'by_messages', kind: 'agent' },
  { framework: 'pydantic_ai', loop: 'by_chat', kind: 'agent' },
  { framework: 'pydantic_ai', loop: 'by_contents', kind: 'agent' },
  { framework: 'openai_agents', loop: 'by_responses', kind: 'agent' },
  { framework: 'openai_agents', loop: 'by_chat', kind: 'agent' },
  // The framework enables thinking for models whose names it knows, and places reminders
  // differently for them.
  { framework: 'claude', loop: 'by_messages', kind: 'claude-sonnet-4-6' },
  { framework: 'claude', loop: 'by_messages', kind: 'agent' },
];
const FIRST_OF_EACH = LOOPS.filter(
  ({ framework }, at) => LOOPS.findIndex((one) => one.framework === framework) === at,
);
/** Each framework's default format is one of these two. */
const SHORT_UPSTREAMS = ['openai', 'anthropic'];

const CELLS = (WHOLE ? LOOPS : FIRST_OF_EACH).flatMap((loop) =>
  UPSTREAMS.filter(({ name }) => WHOLE || SHORT_UPSTREAMS.includes(name)).map((upstream) => ({
    ...loop,
    model: modelOf(upstream, loop.kind),
  })),
);

let matrix: Matrix;
let recorder: Recorder;
let driver: Driver;

(hasPython() ? describe : describe.skip)('an agent of', () => {
  beforeAll(async () => {
    const installing = pythonWith(join(__dirname, 'requirements.txt'));
    // The result is awaited below. Starting the gateway first ensures that a failed install leaves
    // nothing running.
    installing.catch(() => undefined);
    matrix = await startMatrix({ models: { agent: '', 'claude-sonnet-4-6': '' } });
    recorder = await startRecorder(matrix.gateway.edgeUrl());
    driver = startDriver(await installing, join(__dirname, 'python/driver.py'));
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await driver?.stop();
    await recorder?.stop();
    await matrix?.gateway.stop();
  });

  test.each(CELLS)('$framework $loop × $model', async ({ framework, loop, model }) => {
    recorder.taken();
    const call = { url: recorder.url, key: matrix.key, model };
    const outcome = await driver.run(framework, loop, call);
    const attempts = recorder.taken();
    expect(outcome).toMatchObject({
      said: {
        texts: [
          expect.stringMatching(/^The tool said: .*föhn 1/),
          expect.stringMatching(/^The tool said: .*föhn 2/),
        ],
        cities: [
          expect.stringContaining('get_weather in Zürich 🦊'),
          expect.stringContaining('get_weather once more'),
        ],
      },
    });
    expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200, 200]);

    const ids = attempts.map(({ headers }) => String(headers['x-tollgate-request-id']));
    const records = await Promise.all(ids.map((id) => matrix.recordOf(id)));
    const streamed = framework === 'claude' ? [true, true] : [false, false];
    expect(records).toMatchObject(
      [...streamed, true, true].map((stream) => ({
        outcome: 'COMPLETED',
        usageQuality: 'EXACT',
        stream,
      })),
    );
  });
});
