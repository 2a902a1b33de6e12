import { CAPABILITIES, MODEL_TYPES, PROVIDER_TYPES, rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { Provider } from '../entities/provider.entity';
import anthropic from './lists/anthropic.json';
import cohere from './lists/cohere.json';
import deepseek from './lists/deepseek.json';
import google from './lists/google.json';
import groq from './lists/groq.json';
import mistral from './lists/mistral.json';
import openai from './lists/openai.json';
import together from './lists/together.json';

/**
 * The list of known models: what vendors publish of their models, each with its source. A release
 * renews it. It is offered to people; it never changes a stored price.
 */

const day = z.iso.date();
const tokens = z.int().min(1).max(100_000_000);

const known = z.strictObject({
  /** The vendor's name for it, as its own list of models has it. */
  id: rest.modelSettings.upstreamModel,
  aliases: z.array(rest.modelSettings.upstreamModel),
  type: z.enum(MODEL_TYPES),
  contextTokens: tokens.nullable(),
  maxOutputTokens: tokens.nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)).nullable(),
  retiresFrom: day.nullable(),
  price: rest.priceListCreate,
  note: z.string().min(1).max(300).nullable(),
  /** The first states the price; the others agree with it or add the model's limits. */
  sources: z.array(z.strictObject({ url: z.url({ protocol: /^https$/ }), seen: day })).min(1),
});

const vendorList = z.strictObject({
  vendor: z.string().min(1).max(100),
  /** Providers whose models these are: all of a type, or those of any type at a host. */
  providers: z
    .array(
      z.union([
        z.strictObject({ type: z.enum(PROVIDER_TYPES) }),
        z.strictObject({ host: z.hostname() }),
      ]),
    )
    .min(1),
  /** Where the vendor publishes its prices, to check the list. */
  pricingPage: z.url({ protocol: /^https$/ }),
  /** What no price of the vendor in this list contains. */
  note: z.string().min(1).max(300).nullable(),
  models: z.array(known).min(1),
});
export type VendorList = z.output<typeof vendorList>;
export type Known = VendorList['models'][number] & Pick<VendorList, 'vendor'>;

export const VENDOR_LISTS: readonly VendorList[] = z
  .array(vendorList)
  .parse([openai, anthropic, google, mistral, cohere, deepseek, groq, together]);

type Upstream = Pick<Provider, 'baseUrl'> & { readonly type: Provider['type'] };

const byName: readonly (readonly [VendorList, ReadonlyMap<string, Known>])[] = VENDOR_LISTS.map(
  (list) => {
    const { vendor, note } = list;
    const named = list.models.flatMap((model) =>
      [model.id, ...model.aliases].map(
        (name) => [name, { ...model, vendor, note: model.note ?? note }] as const,
      ),
    );
    return [list, new Map(named)];
  },
);

/** What the list says of a model under its upstream name; undefined: it does not know it. */
export function knownModel(provider: Upstream, upstreamModel: string): Known | undefined {
  const name = upstreamModel.replace(/^models\//, '');
  const host = hostOf(provider.baseUrl);
  const found = byName.find(([{ providers }]) =>
    providers.some((one) => ('type' in one ? one.type === provider.type : one.host === host)),
  );
  return found?.[1].get(name);
}

function hostOf(baseUrl: string): string | undefined {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : undefined;
}
