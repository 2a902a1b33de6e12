'use client';

import { allowsName, type rest } from '@tollgate/contracts';
import { Pin, PinOff } from 'lucide-react';

import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Table, type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { PinNotices } from './pin-notices';
import { fitsPins, pinned, pinStateOf, unpinned } from './pins';
import { usePins, type ChangePins } from './use-pins';

type Tool = rest.McpTestedTool;
type Pins = readonly rest.McpToolPin[];

interface TestedToolsProps {
  readonly server: rest.McpServer;
  readonly test: rest.McpServerTest;
}

/** The tools of a test: schema, price, rule and pin of each. */
export function TestedTools({ server, test }: TestedToolsProps) {
  const { tools } = test;
  const { pinnedTools: pins } = server;
  const { busy, error, change } = usePins(server);
  const loose = tools.filter((tool) => pinStateOf(pins, tool) === 'NONE');
  return (
    <Card
      title="Tools"
      hint="A pinned tool is refused while its definition differs from the pinned one."
      flush
      action={
        loose.length > 0 &&
        fitsPins(pinned(pins, loose)) && (
          <Button
            size="small"
            busy={busy}
            onClick={() =>
              change(
                (now) => pinned(now, loose),
                `${plural(loose.length, 'tool')} pinned. Changes of them are refused from now on.`,
              )
            }
          >
            <Pin aria-hidden />
            Pin all
          </Button>
        )
      }
    >
      <PinNotices pins={pins} test={test} busy={busy} error={error} change={change} />
      {tools.length === 0 ? (
        <p className="p-4 text-ink-soft">The server has no tools.</p>
      ) : (
        <Table
          caption="Tools"
          columns={columnsOf(server, busy, change)}
          rows={tools}
          keyOf={({ name }) => name}
        />
      )}
    </Card>
  );
}

function columnsOf(
  server: rest.McpServer,
  busy: boolean,
  change: ChangePins,
): readonly Column<Tool>[] {
  const { pinnedTools, tools: rules, toolPricesUsd, callPriceUsd } = server;
  return [
    { title: 'Tool', cell: (tool) => <Definition tool={tool} /> },
    {
      title: 'Rule',
      from: 'sm',
      cell: ({ name }) =>
        allowsName(rules, name) ? (
          <span className="text-ink-soft">allowed</span>
        ) : (
          <Badge tone="warn">denied</Badge>
        ),
    },
    {
      title: 'Price',
      align: 'right',
      from: 'md',
      cell: ({ name }) =>
        showUsd((Object.hasOwn(toolPricesUsd, name) ? toolPricesUsd[name] : null) ?? callPriceUsd),
    },
    {
      title: 'Pin',
      cell: (tool) => <PinState state={pinStateOf(pinnedTools, tool)} />,
    },
    {
      title: 'Actions',
      titleHidden: true,
      align: 'right',
      cell: (tool) => <PinButtons tool={tool} pins={pinnedTools} busy={busy} change={change} />,
    },
  ];
}

function PinState({ state }: { state: rest.McpPinState }) {
  switch (state) {
    case 'NONE':
      return <span className="text-ink-faint">not pinned</span>;
    case 'MATCH':
      return <Badge tone="good">pinned</Badge>;
    case 'CHANGED':
      return <Badge tone="bad">CHANGED</Badge>;
  }
}

interface PinButtonsProps {
  readonly tool: Tool;
  readonly pins: Pins;
  readonly busy: boolean;
  readonly change: ChangePins;
}

function PinButtons({ tool, pins, busy, change }: PinButtonsProps) {
  const { name } = tool;
  const state = pinStateOf(pins, tool);
  const pin = state !== 'MATCH' && fitsPins(pinned(pins, [tool]));
  return (
    <span className="inline-flex gap-1.5">
      {pin && (
        <Button
          size="small"
          busy={busy}
          aria-label={state === 'CHANGED' ? `Pin the new ${name}` : `Pin ${name}`}
          onClick={() => change((now) => pinned(now, [tool]), `${name} pinned.`)}
        >
          <Pin aria-hidden />
          {state === 'CHANGED' ? 'Pin the new one' : 'Pin'}
        </Button>
      )}
      {state !== 'NONE' && (
        <Button
          size="small"
          look="quiet"
          busy={busy}
          aria-label={`Unpin ${name}`}
          onClick={() =>
            change((now) => unpinned(now, [name]), `${name} unpinned. Any definition is accepted.`)
          }
        >
          <PinOff aria-hidden />
          Unpin
        </Button>
      )}
    </span>
  );
}

/** The text of a schema that the page shows at most; more would make it slow. */
const SHOWN_CHARACTERS = 20_000;

function Definition({ tool: { name, title, description, inputSchema } }: { tool: Tool }) {
  const schema = JSON.stringify(inputSchema, undefined, 2);
  return (
    <div className="max-w-xl py-1 font-normal">
      <p className="font-mono text-sm font-medium break-all">{name}</p>
      {title !== null && title !== name && <p className="break-words">{title}</p>}
      {description !== null && (
        <p className="line-clamp-3 text-sm break-words whitespace-pre-line text-ink-soft">
          {description}
        </p>
      )}
      <details className="mt-1">
        <summary className="text-sm text-ink-faint">Input schema</summary>
        <pre
          tabIndex={0}
          aria-label={`Input schema of ${name}`}
          className="mt-1 max-h-80 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap"
        >
          {schema.slice(0, SHOWN_CHARACTERS)}
          {schema.length > SHOWN_CHARACTERS && '\n… cut'}
        </pre>
      </details>
    </div>
  );
}
