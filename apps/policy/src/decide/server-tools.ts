import {
  ANY_UNIT,
  DEFAULT_MAX_TOOL_CALLS,
  isFreeOperation,
  pricedUnit,
  unitNanoUsd,
} from '@tollgate/contracts';
import type { AuthorizeRequest__Output, ServerTool__Output } from '@tollgate/contracts/node';

import type { ModelPlan, PlannedPrice } from '../directory';

// What is held for tools that a provider runs while it answers, such as web searches and code
// containers. Their calls are billed beside the tokens, and their results are input.

export interface HeldTools {
  /** The most calls, by billed unit. */
  readonly units: Readonly<Record<string, number>>;
  /** What their results add to the input. */
  readonly inputTokens: number;
  /** The bound for tools that the request does not bound; 0: there are none. */
  readonly maxCalls: number;
}

const NONE: HeldTools = { units: {}, inputTokens: 0, maxCalls: 0 };

export function heldTools(
  request: AuthorizeRequest__Output,
  model: ModelPlan,
  planned: PlannedPrice | undefined,
): HeldTools {
  if (!runsTools(request)) return NONE;
  const tools = toolsOf(request, model);
  const modelBound = model.entry.maxToolCalls || DEFAULT_MAX_TOOL_CALLS;
  const choices = Math.max(1, request.choices);
  const calls = (tool: ServerTool__Output): number => (tool.maxCalls || modelBound) * choices;
  const units: Record<string, number> = {};
  let inputTokens = 0;
  let promptTokens = 0;
  for (const { tool, unit, count, tokens } of [
    ...tools.filter((tool) => !tool.sharesBound).map((tool) => entryOf(tool, calls(tool))),
    ...sharing(tools.filter((tool) => tool.sharesBound)),
  ]) {
    if (tool.readsInput) promptTokens += count * promptOf(tool);
    else inputTokens += tokens;
    if (tool.unit !== '' && unit !== ANY_UNIT) units[unit] = (units[unit] ?? 0) + count;
  }
  const unbounded = tools.some((tool) => tool.maxCalls === 0);
  return {
    units,
    inputTokens: Math.min(inputTokens, roomFor(request, model)) + promptTokens,
    maxCalls: unbounded ? modelBound : 0,
  };

  // Such a call has the whole context to itself.
  function promptOf({ inputTokensPerCall }: ServerTool__Output): number {
    const { contextTokens } = model.entry;
    const tokens = request.inputTokensEstimate + inputTokensPerCall;
    return contextTokens > 0 ? Math.min(tokens, contextTokens) : tokens;
  }

  function entryOf(tool: ServerTool__Output, count: number) {
    const unit = (planned && pricedUnit(planned.price, tool.unit)) ?? tool.unit;
    return { tool, unit, count, tokens: count * tool.inputTokensPerCall };
  }

  // All calls of a shared bound may go to the dearest tool, and all results may be the longest.
  function sharing(shared: readonly ServerTool__Output[]) {
    const count = Math.max(0, ...shared.map(calls));
    const entries = shared.map((tool) => entryOf(tool, count));
    const [dearest] = entries.toSorted((a, b) => (unitCost(b.unit) > unitCost(a.unit) ? 1 : -1));
    if (dearest === undefined) return [];
    return [{ ...dearest, tokens: Math.max(...entries.map(({ tokens }) => tokens)) }];
  }

  function unitCost(unit: string): bigint {
    return planned === undefined || unit === '' ? -1n : unitNanoUsd(planned.price, unit);
  }
}

/** Counting the tokens of a request runs no tool of it. */
function runsTools({ operation, serverTools }: AuthorizeRequest__Output): boolean {
  return serverTools.length > 0 && !isFreeOperation(operation);
}

/** The first tool whose calls could not be held against a hard limit of money. */
export function unpricedTool(
  request: AuthorizeRequest__Output,
  model: ModelPlan,
  planned: PlannedPrice | undefined,
): ServerTool__Output | undefined {
  if (!runsTools(request) || planned === undefined) return undefined;
  if (!model.limits.some(({ metric, mode }) => metric === 'COST' && mode === 'HARD')) {
    return undefined;
  }
  return toolsOf(request, model).find(
    ({ unit }) => unit !== '' && unit !== ANY_UNIT && !pricedUnit(planned.price, unit),
  );
}

function toolsOf({ serverTools }: AuthorizeRequest__Output, { entry }: ModelPlan) {
  const { nativeResponses, providerType, upstreamFormat: format } = entry;
  const names = [format, `${format}/${providerType}`];
  if (nativeResponses) names.push(`${format}/native_responses`);
  return serverTools.filter(
    ({ upstreams }) => upstreams.length === 0 || names.some((name) => upstreams.includes(name)),
  );
}

// A prompt is never longer than the context, whatever the tools return.
function roomFor({ inputTokensEstimate }: AuthorizeRequest__Output, { entry }: ModelPlan): number {
  const { contextTokens } = entry;
  if (contextTokens === 0) return Number.MAX_SAFE_INTEGER;
  return Math.max(0, contextTokens - inputTokensEstimate);
}
