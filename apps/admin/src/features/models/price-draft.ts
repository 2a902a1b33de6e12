import {
  isServiceTier,
  isUnit,
  type rest,
  type ServiceTierName,
  type Unit,
} from '@tollgate/contracts';

import { numberOrNull } from '../../resource/typed';
import { instantIn, localIn } from './zoned';

// The draft of a price: form state and request body. Pure.

export const TOKEN_KINDS = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  { name: 'cacheRead', label: 'Cache read' },
  { name: 'cacheWrite5m', label: 'Cache write, 5 minutes' },
  { name: 'cacheWrite1h', label: 'Cache write, 1 hour' },
  { name: 'audioInput', label: 'Audio input' },
  { name: 'imageInput', label: 'Image input' },
  { name: 'audioOutput', label: 'Audio output' },
  { name: 'imageOutput', label: 'Image output' },
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number]['name'];

export type StepDraft = Readonly<Record<TokenKind, string>> & {
  readonly fromInputTokens: string;
};
export interface UnitDraft {
  readonly unit: Unit;
  readonly usd: string;
}
export interface TierDraft {
  readonly tier: ServiceTierName;
  readonly percent: string;
}
export interface PriceDraft {
  readonly steps: readonly StepDraft[];
  readonly perRequestUsd: string;
  readonly units: readonly UnitDraft[];
  readonly tiers: readonly TierDraft[];
}

/** The maximum number of steps of a price. */
export const MAX_STEPS = 9;

const EMPTY_STEP: StepDraft = {
  fromInputTokens: '0',
  input: '',
  output: '',
  cacheRead: '',
  cacheWrite5m: '',
  cacheWrite1h: '',
  audioInput: '',
  imageInput: '',
  audioOutput: '',
  imageOutput: '',
};

export const NEW_PRICE: PriceDraft = {
  steps: [EMPTY_STEP],
  perRequestUsd: '',
  units: [],
  tiers: [],
};

/** A further step, empty. */
export function nextStep(): StepDraft {
  return { ...EMPTY_STEP, fromInputTokens: '' };
}

/** A draft that starts from an existing price. */
export function priceDraftOf(price: rest.PriceList): PriceDraft {
  return {
    steps: price.steps.map(stepDraftOf),
    perRequestUsd: isNothing(price.perRequestUsd) ? '' : price.perRequestUsd,
    units: Object.entries(price.perUnitUsd).flatMap(([unit, usd]) =>
      isUnit(unit) ? [{ unit, usd }] : [],
    ),
    tiers: Object.entries(price.tierPercent).flatMap(([tier, percent]) =>
      isServiceTier(tier) ? [{ tier, percent: String(percent) }] : [],
    ),
  };
}

// Prices equal to plain input or output stay empty, so that they follow it.
function stepDraftOf(step: rest.PriceList['steps'][number]): StepDraft {
  const { fromInputTokens, input, output } = step;
  const own = (usd: string, plain: string): string => (usd === plain ? '' : usd);
  return {
    fromInputTokens: String(fromInputTokens),
    input,
    output,
    cacheRead: own(step.cacheRead, input),
    cacheWrite5m: own(step.cacheWrite5m, input),
    cacheWrite1h: own(step.cacheWrite1h, input),
    audioInput: own(step.audioInput, input),
    imageInput: own(step.imageInput, input),
    audioOutput: own(step.audioOutput, output),
    imageOutput: own(step.imageOutput, output),
  };
}

/** Empty prices are not sent; plain input or output then applies. */
export function priceOf({ steps, perRequestUsd, tiers, units }: PriceDraft) {
  return {
    steps: steps.map(({ fromInputTokens, input, output, ...others }) => ({
      fromInputTokens: numberOrNull(fromInputTokens) ?? Number.NaN,
      input: input.trim(),
      output: output.trim(),
      ...given(others),
    })),
    ...given({ perRequestUsd }),
    perUnitUsd: Object.fromEntries(units.map(({ unit, usd }) => [unit, usd.trim()])),
    tierPercent: Object.fromEntries(
      tiers.map(({ tier, percent }) => [
        tier,
        percent.trim() === '' ? Number.NaN : Number(percent),
      ]),
    ),
  };
}

function given<Name extends string>(typed: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(typed).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== '')) as Partial<
    Record<Name, string>
  >;
}

export type ScheduleDraft = PriceDraft & {
  /** Local time of the organisation, in the format of a date field; empty: now. */
  readonly effectiveFrom: string;
};

export function scheduledOf({ effectiveFrom, ...price }: ScheduleDraft, timeZone: string) {
  return {
    ...priceOf(price),
    ...(effectiveFrom === '' ? {} : { effectiveFrom: instantIn(effectiveFrom, timeZone) }),
  };
}

export type CorrectionDraft = PriceDraft & {
  readonly from: string;
  /** Empty: until now. */
  readonly to: string;
};

/** A draft for correcting a past price. */
export function correctionDraftOf(price: rest.PricePeriod, timeZone: string): CorrectionDraft {
  return {
    ...priceDraftOf(price),
    from: localIn(price.effectiveFrom, timeZone),
    // The current price is corrected up to now, even if another one follows.
    to:
      price.effectiveUntil === null || price.state === 'CURRENT'
        ? ''
        : localIn(price.effectiveUntil, timeZone),
  };
}

export function correctionOf({ from, to, ...price }: CorrectionDraft, timeZone: string) {
  return {
    from: instantIn(from, timeZone),
    ...(to === '' ? {} : { to: instantIn(to, timeZone) }),
    price: priceOf(price),
  };
}

export function isNothing(usd: string): boolean {
  return /^[0.]*$/.test(usd);
}
