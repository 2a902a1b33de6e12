// docs/billed-units.md, written from the table.
import { BILLED_UNITS, type BilledUnit } from './billed-units';
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
