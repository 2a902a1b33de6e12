import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { showUsd } from '../../format/money';
import { showCount, showShort } from '../../format/numbers';
import { isNothing, TOKEN_KINDS } from './price-draft';

// Prices in US dollars per million tokens.

/** What cost limits do with a model without a price. */
export function NoPrice() {
  return <Badge tone="warn">unpriced: refused under a budget</Badge>;
}

/** A short price: input and output of each step, and whether there is more. */
export function PriceLine({ price }: { price: rest.PriceList }) {
  const more = [
    ...(isNothing(price.perRequestUsd) ? [] : [`${showUsd(price.perRequestUsd)} per request`]),
    ...Object.entries(price.perUnitUsd).map(
      ([unit, usd]) => `${showUsd(usd)} per ${wordsOf(unit)}`,
    ),
    ...Object.entries(price.tierPercent).map(
      ([tier, percent]) => `${wordsOf(tier)}: ${String(percent)} %`,
    ),
  ];
  return (
    <span className="text-sm tabular-nums">
      {price.steps.map(({ fromInputTokens, input, output }) => (
        <span key={fromInputTokens} className="block whitespace-nowrap">
          {fromInputTokens > 0 && (
            <span className="text-ink-faint">from {showShort(fromInputTokens)}: </span>
          )}
          {showUsd(input)} in · {showUsd(output)} out
        </span>
      ))}
      {more.slice(0, UNITS_SHOWN).map((text) => (
        <span key={text} className="block text-ink-soft">
          {text}
        </span>
      ))}
      {more.length > UNITS_SHOWN && (
        <span className="block text-ink-faint">
          and {showCount(more.length - UNITS_SHOWN)} more
        </span>
      )}
    </span>
  );
}

const UNITS_SHOWN = 2;

export function wordsOf(unit: string): string {
  return unit.replaceAll('_', ' ');
}

/** The full price. */
export function PriceTable({ price }: { price: rest.PriceList }) {
  const units = Object.entries(price.perUnitUsd);
  const tiers = Object.entries(price.tierPercent);
  return (
    <>
      <div className="overflow-x-auto" tabIndex={-1}>
        <table className="w-full text-left">
          <caption className="sr-only">US dollars per million tokens</caption>
          <thead className="bg-sunken/60 text-xs text-ink-soft">
            <tr>
              <th scope="col" className="h-8 px-2 pl-4 font-medium whitespace-nowrap">
                Input of at least
              </th>
              {TOKEN_KINDS.map(({ name, label }) => (
                <th key={name} scope="col" className="h-8 px-2 text-right font-medium last:pr-4">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {price.steps.map((step) => (
              <tr key={step.fromInputTokens}>
                <th scope="row" className="h-11 px-2 pl-4 font-medium whitespace-nowrap">
                  {showCount(step.fromInputTokens)} tokens
                </th>
                {TOKEN_KINDS.map(({ name }) => (
                  <td key={name} className="h-11 px-2 text-right tabular-nums last:pr-4">
                    {showUsd(step[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(units.length + tiers.length > 0 || !isNothing(price.perRequestUsd)) && (
        <dl className="grid gap-x-8 gap-y-3 border-t p-4 sm:grid-cols-2 lg:grid-cols-3">
          {!isNothing(price.perRequestUsd) && (
            <Further name="Each request" value={showUsd(price.perRequestUsd)} />
          )}
          {units.map(([unit, usd]) => (
            <Further key={unit} name={`Each ${wordsOf(unit)}`} value={showUsd(usd)} />
          ))}
          {tiers.map(([tier, percent]) => (
            <Further
              key={tier}
              name={`Tier ${wordsOf(tier)}`}
              value={`${String(percent)} % of the token prices`}
            />
          ))}
        </dl>
      )}
    </>
  );
}

function Further({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}
