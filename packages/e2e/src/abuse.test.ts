import { INPUTS, SHORT } from './abuse/inputs';
import { PATIENT_LIMITS } from './abuse/limits';
import { runInput, warmUp } from './abuse/row';
import { startWorld, type World } from './abuse/world';

// The short form of `npm run abuse`: hostile requests, and their effect on other callers. The
// latency limit suits a machine that runs other tests too.

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await warmUp(world);
});
afterAll(() => world?.stop());

test.each(SHORT.map((name) => [name]))('%s: other callers are not affected', async (name) => {
  const input = INPUTS.find((one) => one.name === name);
  if (input === undefined) throw new Error(`no input is called ${name}`);
  expect((await runInput(world, input, PATIENT_LIMITS)).breaches).toEqual([]);
});
