import { parseUsd, type rest } from '@tollgate/contracts';

import { showUsd } from '../../format/money';

// Prices beside models, and the model that the playground begins with.

type Priced = Pick<rest.Model, 'id' | 'name' | 'type' | 'currentPrice'>;

/** Types of models that answer a chat. */
const CHATTING: ReadonlySet<string> = new Set(['chat', 'reasoning']);

export function chats({ type }: Pick<rest.Model, 'type'>): boolean {
  return CHATTING.has(type);
}

/** Input and output together, in nano-USD per million tokens, for short inputs; undefined: no price is in effect. */
function priceOf({ currentPrice }: Priced): bigint | undefined {
  const step = currentPrice?.steps[0];
  return step && parseUsd(step.input) + parseUsd(step.output);
}

/** The cheapest model that answers a chat; models without a price come last, equal ones by name. */
export function cheapest<Model extends Priced>(models: readonly Model[]): Model | undefined {
  const [first] = models.filter(chats).toSorted((a, b) => {
    const [one, other] = [priceOf(a), priceOf(b)];
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined) || byName(a, b);
    }
    return one < other ? -1 : one > other ? 1 : byName(a, b);
  });
  return first;
}

function byName(a: Priced, b: Priced): number {
  return a.name < b.name ? -1 : 1;
}

/** "$0.15 in, $0.60 out" per million tokens. */
export function priceWords({ currentPrice }: Priced): string {
  const step = currentPrice?.steps[0];
  if (step === undefined) return 'no price';
  const more = (currentPrice?.steps.length ?? 1) > 1 ? ' and up' : '';
  return `${showUsd(step.input)} in, ${showUsd(step.output)} out${more}`;
}
