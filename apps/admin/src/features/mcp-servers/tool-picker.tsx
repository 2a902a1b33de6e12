'use client';

import { allowsName, type rest } from '@tollgate/contracts';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';

import { Button } from '../../design/button';
import { Failure } from '../../design/failure';
import { SearchInput } from '../../design/search-input';
import { plural } from '../../format/numbers';
import { useKnownTools, type KnownTool } from './known-tools';
import { fixedBy, withAllowed } from './rule-match';

interface ToolPickerProps {
  readonly server: rest.McpServer;
  readonly rules: rest.McpNameRules;
  /** Rules that apply as well and are not edited here. */
  readonly outer: rest.McpNameRules | undefined;
  readonly onChange: (rules: rest.McpNameRules) => void;
}

/** The tools of the server with a checkbox each, which edits the patterns. */
export function ToolPicker({ server, ...choice }: ToolPickerProps) {
  const { tools, busy, error, load } = useKnownTools(server);
  const button = (
    <Button size="small" busy={busy} onClick={load}>
      <RotateCw aria-hidden />
      {tools === undefined ? 'List the tools of the server' : 'List them again'}
    </Button>
  );
  return (
    <div className="flex flex-col gap-2">
      {error !== undefined && <Failure error={error} />}
      {tools !== undefined && <Choices tools={tools} {...choice} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {button}
        {tools === undefined && (
          <span className="text-sm text-ink-faint">
            Then you can choose tools from a list. Patterns work without it.
          </span>
        )}
      </div>
    </div>
  );
}

interface ChoicesProps extends Omit<ToolPickerProps, 'server'> {
  readonly tools: readonly KnownTool[];
}

function Choices({ tools, rules, outer, onChange }: ChoicesProps) {
  const [search, setSearch] = useState('');
  const text = search.trim().toLowerCase();
  const shown = tools.filter(({ name, title }) =>
    `${name} ${title ?? ''}`.toLowerCase().includes(text),
  );
  const allowed = tools.filter(({ name }) => allowsName(rules, name)).length;
  if (tools.length === 0) return <p className="text-ink-soft">The server lists no tools.</p>;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">
        Tools{' '}
        <span className="font-normal text-ink-faint">
          · {allowed} of {plural(tools.length, 'tool')} allowed
        </span>
      </legend>
      <div className="overflow-hidden rounded-md border border-line-strong/60">
        <SearchInput label="Search tools" value={search} onChange={setSearch} />
        <div className="max-h-56 overflow-y-auto p-1">
          {shown.length === 0 && (
            <p className="p-2 text-sm text-ink-faint">No tool with this name.</p>
          )}
          {shown.map((tool) => (
            <Choice
              key={tool.name}
              tool={tool}
              on={allowsName(rules, tool.name)}
              fixed={fixedBy(rules, tool.name)}
              deniedOutside={outer !== undefined && !allowsName(outer, tool.name)}
              onToggle={(on) => onChange(withAllowed(rules, tool.name, on))}
            />
          ))}
        </div>
      </div>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly tool: KnownTool;
  readonly on: boolean;
  /** The pattern that keeps the tool denied. */
  readonly fixed: string | undefined;
  readonly deniedOutside: boolean;
  readonly onToggle: (on: boolean) => void;
}

function Choice({ tool: { name, title }, on, fixed, deniedOutside, onToggle }: ChoiceProps) {
  const note = deniedOutside ? 'denied by the server’s rules' : title;
  return (
    <label className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 hover:bg-hover">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={on}
        disabled={fixed !== undefined}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <span className="min-w-0 flex-1 truncate font-mono text-sm">{name}</span>
      <span className="min-w-0 truncate text-sm text-ink-faint">
        {fixed === undefined ? note : `denied by ${fixed}`}
      </span>
    </label>
  );
}
