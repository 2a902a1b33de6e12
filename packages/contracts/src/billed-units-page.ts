// docs/billed-units.md, written from the table.
import { BILLED_UNITS, type BilledUnit } from './billed-units';
import { SERVICE_TIER_NAMES, SERVICE_TIERS } from './service-tiers';
import { DEFAULT_MAX_TOOL_CALLS } from './units';

export function billedUnitsPage(): string {
  return `<!-- Generated from packages/contracts/src/billed-units.ts by \`pnpm --filter @tollgate/contracts billed-units-page\`. -->

# What is billed, and what is held for it

A hold covers everything that a provider bills for a request: tokens, and other units. The prices of units are in
a price's \`perUnitUsd\`, by the names below.

**Server tools** are tools that the provider runs while it answers, such as web search. A tool holds the request's own
bound on its calls. Without one it holds the model's \`maxToolCalls\` (default ${DEFAULT_MAX_TOOL_CALLS}), which is also sent upstream if the
format can express it. If it cannot be sent, an upstream may make more calls than were held; they are booked all
the same. Results of calls are input. Each call holds the tokens named below, up to the model's context; tokens
beyond that are booked. Tools that a conversation adds to those of the request are held likewise; one that it repeats
is held once.

A web search is held at the upstream that makes it, which may be of another vendor than the client's format:
[hosted tools](hosted-tools.md) says which tools cross over.

Under a hard budget or a hard cost quota a request is refused if it has a server tool whose unit has no price. The
error is \`provider_misconfigured\` with the path of the tool. Set a price for the unit on the model (0 if it
is free), or send the request without the tool. Images, audio, characters and documents without a unit
price cost nothing beside their tokens, because many models bill them by tokens alone.

**Images in tokens**: set \`imageInput\` and \`imageOutput\` of the price where the provider charges tokens of images at another price than text, as for GPT image models and
Gemini's image models. Without them images cost as much as text.

${table()}

## Processing tiers

Providers charge tokens at another price in some tiers. A price's \`tierPercent\` has the percentage of its token prices
for each tier, such as \`{"priority": 200, "flex": 50}\`; requests and units cost the same in every tier. Percentages of several tiers
multiply. Without a percentage a tier costs 100. Take the figures from the provider's price list: the list of known models has none.

${tiers()}

- **Held**: the percentage of the tier that the candidate is asked for, at least 100, because a provider may fall back to
  standard processing. A format that has no word for a tier is not asked for it, and the client is told that the
  parameter was dropped.
- **Charged**: the tier that the answer reports (\`service_tier\`; \`usage.service_tier\`, \`usage.speed\` and
  \`usage.inference_geo\`; \`usageMetadata.serviceTier\` or \`trafficType\`), else the one that was asked for. A provider
  may use a tier that nobody asked for, such as the default of an OpenAI project: it is charged, though it was not held.
- **Recorded**: \`serviceTier\` of a record and of each attempt. A re-rating applies the corrected percentage of that tier.

Under a hard budget or a hard cost quota a request is refused if it asks for a tier that may be dearer and has no
percentage. The error is \`provider_misconfigured\` with the reason \`no_tier_price\` and the path of the field. Set a percentage on the
price (100 if the tier costs the same), or send the request without the field. Routing leaves such candidates out.
`;
}

function tiers(): string {
  const rows = SERVICE_TIER_NAMES.map((name) => {
    const { dearer, meaning } = SERVICE_TIERS[name];
    return [`\`${name}\``, meaning, dearer ? 'refused' : 'charged as standard'];
  });
  const headings = ['Tier', 'Is', 'Without a percentage, under a hard limit'];
  return lines([headings, headings.map(() => '---'), ...rows]);
}

const HEADINGS = ['Vendor', 'What', 'By', 'Bounded by', 'Held', 'Real count'];

function table(): string {
  return lines([HEADINGS, HEADINGS.map(() => '---'), ...BILLED_UNITS.map(cells)]);
}

function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function cells({ vendor, what, by, bound, held, read, why }: BilledUnit): string[] {
  const unit = by.endsWith('tokens') ? by : `\`${by}\``;
  return [vendor, what, unit, bound, why === undefined ? held : `${held}: ${why}`, read];
}
