import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import { Price, type StoredPriceStep } from '../../entities/price.entity';

/**
 * Prices: US dollars in the API, nano-USD in the database. Never changed, only followed by newer
 * ones.
 */

interface PriceOwner {
  organisationId: string;
  modelId: string;
  createdBy: string;
}

export function representPrice(row: Price): rest.Price {
  return {
    id: row.id,
    effectiveFrom: row.effectiveFrom.toISOString(),
    ...representPriceList(row),
    createdAt: row.createdAt.toISOString(),
  };
}

/** The stored columns of a price list. */
type StoredPriceList = Pick<
  Price,
  'steps' | 'perRequestNanoUsd' | 'perUnitNanoUsd' | 'tierPercent'
>;

export function representPriceList(row: StoredPriceList): rest.PriceList {
  return {
    steps: row.steps.map((step) => ({
      fromInputTokens: step.fromInputTokens,
      input: usd(step.input),
      cacheRead: usd(step.cacheRead),
      cacheWrite5m: usd(step.cacheWrite5m),
      cacheWrite1h: usd(step.cacheWrite1h),
      audioInput: usd(step.audioInput),
      imageInput: usd(step.imageInput ?? step.input),
      output: usd(step.output),
      audioOutput: usd(step.audioOutput),
      imageOutput: usd(step.imageOutput ?? step.output),
    })),
    perRequestUsd: formatUsd(row.perRequestNanoUsd),
    perUnitUsd: mapValues(row.perUnitNanoUsd, usd),
    tierPercent: row.tierPercent,
  };
}

export async function insertPrice(
  tx: EntityManager,
  owner: PriceOwner,
  draft: rest.PriceCreate,
  nowMs: number,
): Promise<string> {
  const id = uuidv7();
  await tx.insert(Price, {
    id,
    ...owner,
    effectiveFrom:
      draft.effectiveFrom === undefined ? new Date(nowMs) : new Date(draft.effectiveFrom),
    ...storedPriceList(draft),
  });
  return id;
}

export function storedPriceList(draft: rest.PriceListCreate): StoredPriceList {
  return {
    steps: draft.steps.map(storedStep),
    perRequestNanoUsd: parseUsd(draft.perRequestUsd),
    perUnitNanoUsd: mapValues(draft.perUnitUsd, nano),
    tierPercent: draft.tierPercent,
  };
}

/** The price in effect, for each model that has one. */
export async function currentPrices(
  db: EntityManager,
  modelIds: readonly string[],
  nowMs: number,
): Promise<Map<string, Price>> {
  if (modelIds.length === 0) return new Map();
  const rows = await db
    .createQueryBuilder(Price, 'price')
    .distinctOn(['price.modelId'])
    .where('price.modelId = ANY(:modelIds::uuid[]) AND price.effectiveFrom <= :now', {
      modelIds: [...modelIds],
      now: new Date(nowMs),
    })
    .orderBy('price.modelId')
    .addOrderBy('price.effectiveFrom', 'DESC')
    .getMany();
  return new Map(rows.map((row) => [row.modelId, row]));
}

/** A class without its own price costs the same as plain input or output. */
function storedStep(step: rest.PriceCreate['steps'][number]): StoredPriceStep {
  const input = nano(step.input);
  const output = nano(step.output);
  const or = (given: string | undefined, plain: string): string =>
    given === undefined ? plain : nano(given);
  return {
    fromInputTokens: step.fromInputTokens,
    input,
    cacheRead: or(step.cacheRead, input),
    cacheWrite5m: or(step.cacheWrite5m, input),
    cacheWrite1h: or(step.cacheWrite1h, input),
    audioInput: or(step.audioInput, input),
    imageInput: or(step.imageInput, input),
    output,
    audioOutput: or(step.audioOutput, output),
    imageOutput: or(step.imageOutput, output),
  };
}

function nano(text: string): string {
  return parseUsd(text).toString();
}

function usd(nanoUsd: string): string {
  return formatUsd(BigInt(nanoUsd));
}

function mapValues(
  record: Readonly<Record<string, string>>,
  of: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
}
