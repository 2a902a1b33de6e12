// What a request costs: stepped price lists by token class, and one rounding at the very end.
import { isOneOf } from './enums';
import type { Price as PriceInput } from './generated/tollgate/policy/v1/Price';
import type { PriceStep as PriceStepWire } from './generated/tollgate/policy/v1/PriceStep';
import type { NanoUsd } from './money';
import { percentFromWire, percentToWire, type TierPercent } from './service-tiers';
import { tokensIn, type TokenUsage } from './token-usage';
import { ANY_UNIT, TOOL_UNITS } from './units';

// Models answer in images without being asked to, but in audio only if asked: `other` is all but audio.
const OTHER_INPUT = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'imageInput'] as const;
const AUDIO_INPUT = ['audioInput'] as const;
const OTHER_OUTPUT = ['output', 'imageOutput'] as const;
const OUTPUT_CLASSES = [...OTHER_OUTPUT, 'audioOutput'] as const;
export const TOKEN_CLASSES = [...OTHER_INPUT, ...AUDIO_INPUT, ...OUTPUT_CLASSES] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** Nano-USD per million tokens of each class, from an input length on. */
export type PriceStep = { readonly fromInputTokens: number } & Readonly<
  Record<TokenClass, NanoUsd>
>;

/** The price of one model from an instant on. */
export interface Price {
  readonly priceId: string;
  readonly effectiveFromMs: number;
  /** Ascending by `fromInputTokens`; the first is at 0. */
  readonly steps: readonly [PriceStep, ...PriceStep[]];
  /** Added once per answered request. */
  readonly perRequestNanoUsd: NanoUsd;
  /** By the names of the UNITS table. */
  readonly perUnitNanoUsd: Readonly<Record<string, NanoUsd>>;
  /** Of the token prices. Absent, as a whole or of one tier: 100. */
  readonly tierPercent?: TierPercent;
}

/** Quantities by unit: whole numbers, or decimal texts of at most nine places ("12.5" seconds). */
export type Units = Readonly<Record<string, number | string>>;

// Costs are summed in this fraction of a nano-USD, in which every summand is exact.
const PER_MILLION = 1_000_000n;
const UNIT_DECIMALS = 9;
const UNIT_SCALE = 10n ** BigInt(UNIT_DECIMALS);

/** The price in effect at an instant, of a list ascending by `effectiveFromMs`. */
export function priceAt(prices: readonly Price[], instantMs: number): Price | undefined {
  return prices.findLast((price) => price.effectiveFromMs <= instantMs);
}

/** The cost of an answered request, rounded up to a nano-USD once, at the end. */
export function costNanoUsd(price: Price, usage: TokenUsage, units?: Units): NanoUsd {
  const step = stepAt(price, tokensIn(usage));
  let perMillion = price.perRequestNanoUsd * PER_MILLION;
  for (const name of TOKEN_CLASSES) {
    const tokens = usage[name];
    if (tokens !== 0) perMillion += count(tokens, name) * step[name];
  }
  return roundUp(perMillion, price, units);
}

/** The most that a request may use. */
export interface UsageBounds {
  /** All classes together. */
  readonly inputTokens: number;
  /** The audio part of the input; the rest is held at the dearest other price. */
  readonly audioInputTokens: number;
  /** Per answer. */
  readonly outputTokens: number;
  readonly choices: number;
  /** No audio output is requested, so output costs the price of text or, where that is higher, of images. */
  readonly textOutput: boolean;
  readonly units?: Units | undefined;
}

/** Upper bound of a request's cost: no usage within the bounds costs more, however it is cached. */
export function estimateNanoUsd(price: Price, bounds: UsageBounds): NanoUsd {
  const { inputTokens, audioInputTokens } = bounds;
  const output = dearestOutput(price, inputTokens, bounds.textOutput);
  const perMillion =
    price.perRequestNanoUsd * PER_MILLION +
    count(inputTokens - audioInputTokens, 'inputTokens') *
      dearest(price, inputTokens, OTHER_INPUT) +
    count(audioInputTokens, 'audioInputTokens') * dearest(price, inputTokens, AUDIO_INPUT) +
    count(bounds.outputTokens, 'outputTokens') * count(bounds.choices, 'choices') * output;
  return roundUp(perMillion, price, bounds.units);
}

/** Nano-USD per million output tokens for an input of at most this length. */
export function dearestOutput(price: Price, inputTokens: number, withoutAudio: boolean): NanoUsd {
  return dearest(price, inputTokens, withoutAudio ? OTHER_OUTPUT : OUTPUT_CLASSES);
}

// The input may be shorter than estimated and fall into an earlier step.
function dearest(price: Price, inputTokens: number, classes: readonly TokenClass[]): NanoUsd {
  let most = 0n;
  for (const step of price.steps) {
    if (step.fromInputTokens > inputTokens) break;
    for (const name of classes) if (step[name] > most) most = step[name];
  }
  return most;
}

/** Decodes a price. A RangeError names what is invalid. */
export function priceFromWire(wire: PriceInput): Price {
  const [first, ...rest] = (wire.steps ?? []).map(stepFromWire);
  if (first?.fromInputTokens !== 0) {
    throw new RangeError('the first step of a price applies from 0 input tokens on');
  }
  const steps: [PriceStep, ...PriceStep[]] = [first, ...rest];
  if (
    steps.some((step, i) => i > 0 && step.fromInputTokens <= (steps[i - 1]?.fromInputTokens ?? 0))
  ) {
    throw new RangeError('the steps of a price ascend by input tokens');
  }
  const perUnit = Object.entries(wire.perUnitNanoUsd ?? {});
  return {
    priceId: wire.priceId ?? '',
    effectiveFromMs: Number(wire.effectiveFromMs ?? 0),
    steps,
    perRequestNanoUsd: amount(wire.perRequestNanoUsd, 0n),
    perUnitNanoUsd: Object.fromEntries(perUnit.map(([unit, text]) => [unit, amount(text, 0n)])),
    ...percentFromWire(wire.tierPercent),
  };
}

export type PriceWire = ReturnType<typeof priceToWire>;

export function priceToWire(price: Price) {
  return {
    priceId: price.priceId,
    effectiveFromMs: price.effectiveFromMs,
    steps: price.steps.map(stepToWire),
    perRequestNanoUsd: price.perRequestNanoUsd.toString(),
    perUnitNanoUsd: Object.fromEntries(
      Object.entries(price.perUnitNanoUsd).map(([unit, nano]) => [unit, nano.toString()]),
    ),
    tierPercent: percentToWire(price.tierPercent),
  };
}

/** The step of a price that applies to an input of this length. */
export function stepAt(price: Price, inputTokens: number): PriceStep {
  return price.steps.findLast((step) => step.fromInputTokens <= inputTokens) ?? price.steps[0];
}

function roundUp(perMillion: bigint, price: Price, units: Units | undefined): NanoUsd {
  if (units === undefined) return (perMillion + PER_MILLION - 1n) / PER_MILLION;
  const scale = PER_MILLION * UNIT_SCALE;
  let total = perMillion * UNIT_SCALE;
  for (const [unit, quantity] of Object.entries(units)) {
    total += scaledQuantity(quantity, unit) * unitPrice(price, unit) * PER_MILLION;
  }
  return (total + scale - 1n) / scale;
}

/**
 * The dearest priced unit that a call held as `unit` may be billed by: an image may have any size,
 * and an unnamed tool (`*`) may be any. Undefined: none has a price.
 */
export function pricedUnit(price: Price, unit: string): string | undefined {
  let dearest: string | undefined;
  for (const name of Object.keys(price.perUnitNanoUsd)) {
    if (name === unit && unit !== 'image') return unit;
    if (!mayBe(unit, name)) continue;
    if (dearest === undefined || unitPrice(price, name) > unitPrice(price, dearest)) dearest = name;
  }
  return dearest;
}

function mayBe(unit: string, name: string): boolean {
  const isImage = name === 'image' || name.startsWith('image_');
  if (unit === ANY_UNIT) return isImage || isOneOf(TOOL_UNITS, name);
  if (unit === 'image') return isImage;
  return name === 'image' && unit.startsWith('image_');
}

/** The price of one unit; 0 without a price of its own or of its kind. */
export function unitNanoUsd(price: Price, unit: string): NanoUsd {
  return unitPrice(price, unit);
}

// A size without its own price costs the price of an image. An image of an unknown size costs the
// dearest one where only sizes have prices. A unit without any price is free: many models bill images
// or audio in tokens and still report their number.
function unitPrice(price: Price, unit: string): NanoUsd {
  const own = price.perUnitNanoUsd[unit];
  if (own !== undefined) return own;
  if (unit.startsWith('image_')) return price.perUnitNanoUsd.image ?? 0n;
  const dearest = unit === 'image' ? pricedUnit(price, unit) : undefined;
  return dearest === undefined ? 0n : unitPrice(price, dearest);
}

function scaledQuantity(quantity: number | string, unit: string): bigint {
  const match = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(String(quantity));
  if (match === null) {
    throw new RangeError(`${unit} is counted in plain decimals of at most nine places`);
  }
  return BigInt(match[1] ?? '') * UNIT_SCALE + BigInt((match[2] ?? '').padEnd(UNIT_DECIMALS, '0'));
}

function count(value: number, name: string): bigint {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name} is a whole number of at least 0`);
  }
  return BigInt(value);
}

// A class without its own price costs the price of its kind, never nothing.
function stepFromWire(wire: PriceStepWire): PriceStep {
  const input = amount(wire.input, 0n);
  const output = amount(wire.output, 0n);
  return {
    fromInputTokens: Number(wire.fromInputTokens ?? 0),
    input,
    cacheRead: amount(wire.cacheRead, input),
    cacheWrite5m: amount(wire.cacheWrite5m, input),
    cacheWrite1h: amount(wire.cacheWrite1h, input),
    audioInput: amount(wire.audioInput, input),
    imageInput: amount(wire.imageInput, input),
    output,
    audioOutput: amount(wire.audioOutput, output),
    imageOutput: amount(wire.imageOutput, output),
  };
}

function stepToWire(step: PriceStep) {
  return {
    fromInputTokens: step.fromInputTokens,
    input: step.input.toString(),
    cacheRead: step.cacheRead.toString(),
    cacheWrite5m: step.cacheWrite5m.toString(),
    cacheWrite1h: step.cacheWrite1h.toString(),
    audioInput: step.audioInput.toString(),
    imageInput: step.imageInput.toString(),
    output: step.output.toString(),
    audioOutput: step.audioOutput.toString(),
    imageOutput: step.imageOutput.toString(),
  };
}

function amount(text: string | undefined, whenAbsent: bigint): bigint {
  if (text === undefined || text === '') return whenAbsent;
  if (!/^\d{1,19}$/.test(text)) throw new RangeError('a price is a whole number of nano-USD');
  return BigInt(text);
}
