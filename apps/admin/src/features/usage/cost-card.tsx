'use client';

import type { rest } from '@tollgate/contracts';

import { Card } from '../../design/card';
import { Facts, type Fact } from '../../design/facts';
import { Table, type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { sentence } from '../../format/words';
import { isLoss, savedUsd } from './cached';
import { costLines, type CostLine } from './cost-lines';

const CLASSES = {
  input: 'Input',
  cacheRead: 'Read from cache',
  cacheWrite5m: 'Written to cache, 5 min',
  cacheWrite1h: 'Written to cache, 1 h',
  audioInput: 'Audio input',
  imageInput: 'Image input',
  output: 'Output',
  audioOutput: 'Audio output',
  imageOutput: 'Image output',
  reasoning: 'Reasoning, in output',
} as const satisfies Record<keyof rest.UsageRecord['tokens'], string>;

/** The cost of a request, and how it is made up. */
export function CostCard({ record }: { record: rest.UsageRecordDetail }) {
  const { attempts, mcp } = record;
  const lines = mcp === null ? costLines(record) : [];
  const several = attempts.length > 1;
  return (
    <Card
      title="Cost"
      hint={mcp === null ? `usage ${record.usageQuality.toLowerCase()}` : undefined}
    >
      <Facts
        facts={[
          { name: 'Cost', value: <strong>{showUsd(record.costUsd)}</strong> },
          { name: 'Held', value: showUsd(record.heldUsd) },
          ...(Number(record.estimateShortfallUsd) === 0
            ? []
            : [{ name: 'Cost beyond the hold', value: showUsd(record.estimateShortfallUsd) }]),
          ...(mcp === null ? modelFacts(record) : []),
        ]}
      />
      {lines.length > 0 && (
        <div className="mt-4 border-t">
          <Table
            caption="How the cost is made up"
            columns={several ? [...COLUMNS.slice(0, 1), ATTEMPT, ...COLUMNS.slice(1)] : COLUMNS}
            rows={lines}
            keyOf={({ attempt, unit, what }) => `${String(attempt)} ${what} ${unit}`}
          />
        </div>
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<CostLine>[] = [
  { title: 'What', cell: whatOf },
  {
    title: 'Quantity',
    align: 'right',
    cell: ({ quantity, what }) =>
      quantity === undefined ? '—' : what === 'unit' ? quantity : showCount(Number(quantity)),
  },
  { title: 'Price', align: 'right', cell: priceWords },
  { title: 'Amount', align: 'right', cell: ({ amountUsd }) => showUsd(amountUsd) },
];

const ATTEMPT: Column<CostLine> = {
  title: 'Attempt',
  align: 'right',
  cell: ({ attempt }) => attempt,
};

function whatOf({ unit, what }: CostLine): string {
  switch (what) {
    case 'request':
      return 'Call';
    case 'unit':
      return sentence(unit);
    case 'other':
      return 'Not itemised';
    default:
      return `${CLASSES[what]} tokens`;
  }
}

function priceWords({ priceUsd, what }: CostLine): string {
  if (priceUsd === undefined) return '—';
  const price = showUsd(priceUsd);
  return what === 'unit' || what === 'request' ? `${price} each` : `${price} per million`;
}

/** What routing saved; that it is unknown, where a routing policy chose and there is nothing to compare. */
function routingFacts({
  firstChoiceCostUsd,
  routingPolicyId,
  routingSavedUsd: saved,
}: rest.UsageRecordDetail): readonly Fact[] {
  if (routingPolicyId === null) return [];
  if (firstChoiceCostUsd === null) {
    return [
      {
        name: 'Saved by routing',
        value: 'Unknown: there was no answer to compare, or a price was missing',
      },
    ];
  }
  return [
    { name: 'Cost at the first choice', value: showUsd(firstChoiceCostUsd) },
    {
      name: isLoss(saved) ? 'Cost of routing' : 'Saved by routing',
      value: showUsd(saved.replace('-', '')),
    },
  ];
}

/** The usage of a model, from which its cost is computed. */
function modelFacts(record: rest.UsageRecordDetail): readonly Fact[] {
  const { tokens, units } = record;
  const saved = savedUsd(record);
  const used = (Object.keys(CLASSES) as (keyof typeof CLASSES)[]).filter(
    (name) => tokens[name] > 0,
  );
  return [
    ...used.map((name) => ({ name: `${CLASSES[name]} tokens`, value: showCount(tokens[name]) })),
    { name: 'Estimated input tokens', value: showCount(record.inputTokensEstimate) },
    ...(saved === undefined
      ? []
      : [
          {
            name: isLoss(saved) ? 'Cost of cached input' : 'Saved by cached input',
            value: showUsd(saved.replace('-', '')),
          },
        ]),
    ...routingFacts(record),
    ...Object.entries(units).map(([name, value]) => ({ name: sentence(name), value })),
    ...(record.priceId === null ? [{ name: 'Price', value: 'none' }] : []),
  ];
}
