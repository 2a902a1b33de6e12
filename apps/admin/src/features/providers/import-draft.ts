import { isOneOf, MODEL_TYPES, type ModelType, type rest } from '@tollgate/contracts';

import { priceDraftOf, priceOf } from '../models/price-draft';

// The selected upstream models and their names. Pure.

/** Changes of a selected model; other fields keep the upstream's values. */
export interface Choice {
  readonly name?: string;
  readonly type?: ModelType;
  /** The price of the list of known models is not wanted. */
  readonly unpriced?: boolean;
}
export type Choices = ReadonlyMap<string, Choice>;

const CONTEXT_TOKENS = 128_000;

export function toggled(choices: Choices, names: readonly string[], on: boolean): Choices {
  const next = new Map(choices);
  for (const name of names) {
    if (!on) next.delete(name);
    else if (!next.has(name)) next.set(name, {});
  }
  return next;
}

export function changed(choices: Choices, name: string, part: Choice): Choices {
  return new Map(choices).set(name, { ...choices.get(name), ...part });
}

/** Models whose id or name contains the text; those that the list of known models has come first. */
export function found(
  models: readonly rest.UpstreamModel[],
  search: string,
): readonly rest.UpstreamModel[] {
  const text = search.trim().toLowerCase();
  const fitting = models.filter(({ upstreamModel, displayName }) =>
    [upstreamModel, displayName ?? ''].some((name) => name.toLowerCase().includes(text)),
  );
  return [
    ...fitting.filter(({ known }) => known !== null),
    ...fitting.filter(({ known }) => known === null),
  ];
}

/** The selected models that get no price. */
export function unpricedOf(
  models: readonly rest.UpstreamModel[],
  choices: Choices,
): readonly rest.UpstreamModel[] {
  return models.filter((model) => {
    const choice = choices.get(model.upstreamModel);
    return choice !== undefined && (model.known === null || choice.unpriced === true);
  });
}

/**
 * The request for the selected models, with the limits that the upstream reports, or else those of
 * the list of known models, and with the list's price and capabilities.
 */
export function importOf(models: readonly rest.UpstreamModel[], choices: Choices) {
  return models.flatMap((model) => {
    const choice = choices.get(model.upstreamModel);
    if (choice === undefined) return [];
    const { upstreamModel, displayName, known } = model;
    const name = choice.name?.trim() ?? '';
    return [
      {
        upstreamModel,
        ...(name === '' ? {} : { name }),
        type: choice.type ?? typeFor(model),
        displayName,
        contextTokens: model.contextTokens ?? known?.contextTokens ?? CONTEXT_TOKENS,
        maxOutputTokens: model.maxOutputTokens ?? known?.maxOutputTokens ?? null,
        ...(known === null ? {} : { capabilities: known.capabilities }),
        ...(known === null || choice.unpriced === true
          ? {}
          : { price: priceOf(priceDraftOf(known.price)) }),
      },
    ];
  });
}

/** The type to register: that of the list, or the guess from the name. */
export function typeFor({ known, type }: rest.UpstreamModel): ModelType {
  return known?.type ?? type;
}

/** After an import, keeps models with refused names selected. */
export function leftOver(choices: Choices, { results }: rest.ModelImported): Choices {
  const refused = new Set(
    results
      .filter(({ modelId, outcome }) => modelId === null && outcome !== 'NOT_SERVED')
      .map(({ upstreamModel }) => upstreamModel),
  );
  return new Map([...choices].filter(([name]) => refused.has(name)));
}

export function typeOf(text: string): ModelType | undefined {
  return isOneOf(MODEL_TYPES, text) ? text : undefined;
}
