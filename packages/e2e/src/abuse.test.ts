import { INPUTS, SHORT } from './abuse/inputs';
import { PATIENT_LIMITS } from './abuse/limits';
import { runInput, warmUp } from './abuse/row';
import { startWorld, type World } from './abuse/world';

// The short form of `npm run abuse`: what no honest caller sends, and what the other callers notice.
// The limit of their latency is that of a machine which does other things as well.

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await warmUp(world);
});
afterAll(() => world?.stop());

test.each(SHORT.map((name) => [name]))('%s: nobody else notices', async (name) => {
  const input = INPUTS.find((one) => one.name === name);
  if (input === undefined) throw new Error(`no input is called ${name}`);
  expect((await runInput(world, input, PATIENT_LIMITS)).breaches).toEqual([]);
});
