// docs/billed-units.md, written from the table.
import { BILLED_UNITS, type BilledUnit } from './billed-units';
import { DEFAULT_MAX_TOOL_CALLS } from './units';

export function billedUnitsPage(): string {
  return `<!-- Generated from packages/contracts/src/billed-units.ts by \`pnpm --filter @tollgate/contracts billed-units-page\`. -->

# What is billed, and what is held for it

A hold covers everything that a provider bills for a request: its tokens, and the units beside them. The
prices of units stand in a price's \`perUnitUsd\`, by the names below.

**Server tools** are tools that the provider runs while it answers, such as web search. Each holds the
request's own bound on its calls; where the request has none, the model's \`maxToolCalls\` is held
(${DEFAULT_MAX_TOOL_CALLS} unless it is set) and sent upstream where the format can say it. Where it cannot be sent, an upstream may
make more calls than were held: they are booked all the same. What the calls find is input; it is held at
the tokens named below for each call, up to the model's context, and what is more is booked.

A search of the web is held at the upstream that makes it, which may be another vendor's than the one whose
format the client speaks: [hosted tools](hosted-tools.md) says which tools have an equal.

Under a hard budget or a hard cost quota a request with a server tool whose unit has no price is refused
with \`provider_misconfigured\` and the path of the tool: set a price for the unit on the model (0 where it
is free), or send the request without the tool. Images, audio, characters and documents without a unit
price cost nothing beside their tokens, since many models bill them by tokens alone.

${table()}
`;
}

const HEADINGS = ['Vendor', 'What', 'By', 'Bounded by', 'Held', 'Real count'];

function table(): string {
  return [HEADINGS, HEADINGS.map(() => '---'), ...BILLED_UNITS.map(cells)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

function cells({ vendor, what, by, bound, held, read, why }: BilledUnit): string[] {
  const unit = by.endsWith('tokens') ? by : `\`${by}\``;
  return [vendor, what, unit, bound, why === undefined ? held : `${held}: ${why}`, read];
}
