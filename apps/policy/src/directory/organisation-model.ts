import {
  CAPABILITIES,
  isOneOf,
  MODEL_TYPES,
  priceFromWire,
  PROVIDER_TYPES,
  type Capability,
  type ModelType,
  type Price,
  type ProviderType,
} from '@tollgate/contracts';
import type { ModelEntry__Output, Price__Output } from '@tollgate/contracts/node';

import type { PlannedLimit } from './planned-limits';
import { plannedRetirement, type PlannedRetirement } from './retirement';

export interface PlannedPrice {
  readonly price: Price;
  readonly wire: Price__Output;
}

/** The part of a model that all keys of its organisation share. */
export interface OrganisationModel {
  readonly entry: ModelEntry__Output;
  readonly modelId: string;
  readonly name: string;
  readonly type: ModelType;
  readonly providerType: ProviderType;
  /** Ascending by effective instant. */
  readonly prices: readonly PlannedPrice[];
  readonly priceList: readonly Price[];
  /** Undefined: the capabilities are unknown. */
  readonly capabilities: ReadonlySet<Capability> | undefined;
  /** The model's own limits and the organisation's. */
  readonly limits: readonly PlannedLimit[];
  readonly retirement: PlannedRetirement | undefined;
}

/** A RangeError names what is invalid. */
export function organisationModel(
  entry: ModelEntry__Output,
  limitsOfAll: readonly PlannedLimit[],
  limitsOfModels: ReadonlyMap<string, readonly PlannedLimit[]>,
  nameOf: (modelId: string) => string | undefined,
): OrganisationModel {
  const { type, providerType } = entry;
  if (!isOneOf(MODEL_TYPES, type)) throw new RangeError(`model ${entry.modelId}: unknown type`);
  if (!isOneOf(PROVIDER_TYPES, providerType)) {
    throw new RangeError(`model ${entry.modelId}: unknown providerType`);
  }
  const prices = entry.prices.map((wire) => ({ wire, price: priceFromWire(wire) }));
  return {
    entry,
    modelId: entry.modelId,
    name: entry.name,
    type,
    providerType,
    prices,
    priceList: prices.map(({ price }) => price),
    capabilities: capabilitiesOf(entry.capabilities),
    limits: [...limitsOfAll, ...(limitsOfModels.get(entry.modelId) ?? [])],
    retirement: plannedRetirement(entry.name, entry.retirement, nameOf),
  };
}

// Unknown capabilities are ignored.
function capabilitiesOf(stated: string): ReadonlySet<Capability> | undefined {
  if (stated === '') return undefined;
  return new Set(stated.split(',').filter((word) => isOneOf(CAPABILITIES, word)));
}
