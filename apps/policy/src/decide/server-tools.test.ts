import { isOneOf, TOOL_UNITS, UNITS } from '@tollgate/contracts';
import {
  BILLED_UNITS,
  type AuthorizeRequest__Output,
  type BilledBy,
  type ModelEntry__Output,
  type ServerTool__Output,
} from '@tollgate/contracts/node';

import { modelsOf, planOf } from '../directory';
import { ask, context, limit, model, price, serverTool } from '../test-support/contexts';
import { checkAccess, whyLeftOut } from './checks';
import { lowerToAfford, sizeOf } from './size';

const CENT = 10_000_000;
const PRICED = price({
  perUnitNanoUsd: { web_search: String(5 * CENT), file_search: String(CENT), image: '7' },
});

const ENTRY: Partial<ModelEntry__Output> = {
  prices: [PRICED],
  contextTokens: 0,
  maxToolCalls: 4,
};

function sized(
  serverTools: ServerTool__Output[],
  entries: Partial<ModelEntry__Output>[] = [{}],
  more: Parameters<typeof ask>[0] = {},
) {
  const models = entries.map((changes, index) =>
    model({ modelId: `m${String(index)}`, name: `m${String(index)}`, ...ENTRY, ...changes }),
  );
  return sizeOf(
    ask({ inputTokensEstimate: 100, maxOutputTokens: 50, serverTools, ...more }),
    modelsOf(planOf(context({ models }))).map((one) => ({
      model: one,
      price: one.prices[0],
      connectionVersion: 1,
    })),
  );
}

/** 100 tokens in and 50 out. */
const TOKENS = 100 * 1_000 + 50 * 2_000;

describe('what is held for server tools', () => {
  test.each([
    ['the request’s own bound', [serverTool({ maxCalls: 20 })], { web_search: 20 }],
    ['the model’s where the request has none', [serverTool()], { web_search: 4 }],
    [
      'each tool by itself',
      [serverTool({ maxCalls: 2 }), serverTool({ unit: 'file_search' })],
      { web_search: 2, file_search: 4 },
    ],
    [
      'of tools that share a bound, all calls as those of the dearest',
      [
        serverTool({ unit: 'file_search', maxCalls: 6, sharesBound: true }),
        serverTool({ maxCalls: 6, sharesBound: true }),
        serverTool({ unit: '', maxCalls: 6, sharesBound: true }),
      ],
      { web_search: 6 },
    ],
    [
      'the dearest unit where the tool is not named',
      [serverTool({ unit: '*' })],
      { web_search: 4 },
    ],
    ['no unit of a tool that costs tokens only', [serverTool({ unit: '' })], undefined],
  ])('is %s', (_, tools, units) => {
    const size = sized(tools);
    expect(size.units).toEqual(units);
    const cost = { web_search: 5 * CENT, file_search: CENT } as Record<string, number>;
    const held = Object.entries(units ?? {}).reduce(
      (sum, [unit, n]) => sum + n * (cost[unit] ?? 0),
      0,
    );
    expect(size.costNanoUsd).toBe(BigInt(TOKENS + held));
  });

  test('is multiplied by the answers that are asked for', () => {
    expect(sized([serverTool({ maxCalls: 3 })], [{}], { choices: 2 }).units).toEqual({
      web_search: 6,
    });
  });

  test('is ten calls where an older catalog names no bound', () => {
    expect(sized([serverTool()], [{ maxToolCalls: 0 }]).units).toEqual({ web_search: 10 });
  });

  test('differs by candidate, and the dearest is held', () => {
    const size = sized([serverTool()], [{ maxToolCalls: 2 }, { maxToolCalls: 9 }]);
    expect(size.candidates.map(({ maxToolCalls }) => maxToolCalls)).toEqual([2, 9]);
    expect(size.units).toEqual({ web_search: 9 });
    expect(size.costNanoUsd).toBe(BigInt(TOKENS + 9 * 5 * CENT));
  });

  test('is nothing where the upstream does not run the tool', () => {
    const held = (upstreams: string[], entry: Partial<ModelEntry__Output>) =>
      sized([serverTool({ upstreams })], [entry]);
    const foreign = held(['anthropic'], { upstreamFormat: 'openai' });
    expect(foreign.units).toBe(undefined);
    expect(foreign.candidates[0]?.maxToolCalls).toBe(0);
    const some = ['vllm', 'openai/PROVIDER_A'];
    const runs = { web_search: 4 };
    expect(held(some, { upstreamFormat: 'vllm', providerType: 'CUSTOM' }).units).toEqual(runs);
    expect(held(some, { upstreamFormat: 'openai', providerType: 'PROVIDER_A' }).units).toEqual(
      runs,
    );
    const custom = { upstreamFormat: 'openai', providerType: 'CUSTOM' };
    expect(held(some, custom).units).toBe(undefined);
    const declared = ['openai/native_responses'];
    expect(held(declared, custom).units).toBe(undefined);
    expect(held(declared, { ...custom, nativeResponses: true }).units).toEqual(runs);
  });

  test('no bound is sent for tools that have one', () => {
    expect(sized([serverTool({ maxCalls: 3 })]).candidates[0]?.maxToolCalls).toBe(0);
    expect(sized([serverTool({ maxCalls: 3 }), serverTool()]).candidates[0]?.maxToolCalls).toBe(4);
  });

  test('includes what the calls find, up to the context', () => {
    const found = [serverTool({ maxCalls: 3, inputTokensPerCall: 8_000 })];
    const size = sized(found);
    expect(size.inputTokens).toBe(100 + 24_000);
    expect(size.costNanoUsd).toBe(BigInt(TOKENS + 24_000 * 1_000 + 3 * 5 * CENT));
    expect(sized(found, [{ contextTokens: 9_100 }]).inputTokens).toBe(9_100);
  });

  test('includes the input again where a call reads it, each time up to the context', () => {
    const summary = { unit: '', maxCalls: 1, inputTokensPerCall: 8_000, readsInput: true };
    const tools = [serverTool(summary), serverTool({ maxCalls: 3, inputTokensPerCall: 8_000 })];
    expect(sized(tools).inputTokens).toBe(100 + 24_000 + 100 + 8_000);
    expect(sized(tools, [{ contextTokens: 9_000 }]).inputTokens).toBe(9_000 + 100 + 8_000);
    expect(sized(tools, [{ contextTokens: 8_050 }]).inputTokens).toBe(8_050 + 8_050);
  });

  test('stays whole where a budget lowers the output', () => {
    const size = sized([serverTool({ maxCalls: 2 })]);
    const lowered = lowerToAfford(size, size.costNanoUsd - 10_000n);
    expect(lowered?.candidates[0]).toMatchObject({
      heldOutputTokens: 45,
      units: { web_search: 2 },
    });
    expect(lowerToAfford(size, BigInt(2 * 5 * CENT))).toBe(undefined);
  });
});

describe('a tool whose unit has no price', () => {
  const request = ask({ serverTools: [serverTool({ unit: 'file_search', param: 'tools[3]' })] });
  const asked = (
    mode: 'HARD' | 'SOFT',
    perUnitNanoUsd: Record<string, string>,
    metric = 'COST',
    operation = 'chat',
  ) => {
    const plan = planOf(
      context({
        models: [model({ prices: [price({ perUnitNanoUsd })] })],
        limits: [limit({ mode, metric, kind: metric === 'COST' ? 'BUDGET' : 'QUOTA' })],
      }),
    );
    const [found] = modelsOf(plan);
    const given = { request: { ...request, operation }, nowMs: 1, price: found?.prices[0] };
    return {
      refusal: checkAccess({ ...given, plan, model: found }),
      reason: whyLeftOut(given, plan, found),
    };
  };

  test('is refused under a hard limit of money, by the name of the field', () => {
    const { refusal, reason } = asked('HARD', { web_search: '1' });
    expect(refusal).toMatchObject({
      code: 'provider_misconfigured',
      details: { param: 'tools[3]', unit: 'file_search', reason: 'no_unit_price' },
    });
    expect(refusal?.message).toMatch(/^tools\[3\]: .* no price for the unit file_search/);
    expect(reason).toBe('no_unit_price');
  });

  test('passes where it is said to be free, under soft limits, and where no money is counted', () => {
    const passed = { refusal: undefined, reason: undefined };
    expect(asked('HARD', { file_search: '0' })).toEqual(passed);
    expect(asked('SOFT', {})).toEqual(passed);
    expect(asked('HARD', {}, 'TOKENS')).toEqual(passed);
    expect(asked('HARD', {}, 'COST', 'count_tokens')).toEqual(passed);
  });
});

describe('each row of the table of what is billed', () => {
  const rows = BILLED_UNITS.filter(({ why }) => why === undefined);
  const perUnit = Object.fromEntries(Object.keys(UNITS).map((unit) => [unit, '1000']));
  const entry = { ...ENTRY, prices: [price({ perUnitNanoUsd: perUnit })] };
  const asked: Readonly<Record<string, (by: BilledBy) => Partial<AuthorizeRequest__Output>>> = {
    'input tokens': () => ({ inputTokensEstimate: 10 }),
    'audio input tokens': () => ({ inputTokensEstimate: 10, audioInputTokensEstimate: 10 }),
    'output tokens': () => ({ maxOutputTokens: 10 }),
  };
  const byUnit = (by: BilledBy): Partial<AuthorizeRequest__Output> =>
    isOneOf(TOOL_UNITS, by)
      ? { serverTools: [serverTool({ unit: by })] }
      : { unitsEstimate: { [by]: 3 } };

  test.each(rows)('$id is held', ({ by }) => {
    const nothing = {
      inputTokensEstimate: 0,
      audioInputTokensEstimate: 0,
      operation: 'embeddings',
    };
    expect(sized([], [entry], nothing).costNanoUsd).toBe(0n);
    const more = (asked[by] ?? byUnit)(by);
    const operation = by === 'output tokens' ? 'chat' : 'embeddings';
    const size = sized(more.serverTools ?? [], [entry], { ...nothing, operation, ...more });
    expect(size.costNanoUsd > 0n).toBe(true);
  });
});
