import { FLOAT_SCENARIOS, SHORT_WITH_FLOATS } from './faults/float-scenarios';
import type { Finding } from './faults/proof';
import { PROOFS } from './faults/proofs';
import { runScenario, type Scenario } from './faults/scenario';
import { SCENARIOS, SHORT } from './faults/scenarios';
import { startWorld, type World } from './faults/world';
import { realRedis } from './gateway/gateway';

// The short form of `npm run faults`: two of each service, real stores, and the upstream's bill as
// the reference. Only invariants are asserted, never speed.

// The test kills and restores a Redis with its file, which the stand-in does not have.
const real = realRedis();

(real ? describe : describe.skip)('two of each service', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ patient: true });
  });
  afterAll(() => world?.stop());

  test.each(SHORT.map((name) => [name]))(
    '%s: nothing overspent, lost, booked twice or held',
    async (name) => {
      const row = await runScenario(world, named(SCENARIOS, name), 1);
      expect(row.breaches).toEqual([]);
      expect(row.served).toBeGreaterThan(0);
    },
    300_000,
  );

  test.each(PROOFS.map((proof) => [proof.name, proof] as const))(
    '%s',
    async (_, proof) => {
      const findings: Finding[] = [];
      for await (const found of proof.run(world, { short: true, seed: 1 })) findings.push(found);
      expect(
        findings.flatMap(({ name, breaches }) => breaches.map((one) => `${name}: ${one}`)),
      ).toEqual([]);
      expect(findings.length).toBeGreaterThan(0);
    },
    300_000,
  );
});

(real ? describe : describe.skip)('two of each service that decide from floats', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ patient: true, floats: true });
  });
  afterAll(() => world?.stop());

  test.each(SHORT_WITH_FLOATS.map((name) => [name]))(
    '%s: nothing overspent, lost, booked twice or held',
    async (name) => {
      const row = await runScenario(world, named(FLOAT_SCENARIOS, name), 1);
      expect(row.breaches).toEqual([]);
      expect(row.served).toBeGreaterThan(0);
    },
    300_000,
  );
});

function named(scenarios: readonly Scenario[], name: string): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
