'use client';

import { clsx } from 'clsx';
import { useState } from 'react';

import type { ListedTool } from '../../../api/mcp-playground';
import { TextInput } from '../../../design/field';

interface ToolListProps {
  readonly tools: readonly ListedTool[];
  readonly truncated: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (tool: ListedTool) => void;
}

/** The tools of a server by name or title. */
export function ToolList({ tools, truncated, chosen, onChoose }: ToolListProps) {
  const [search, setSearch] = useState('');
  const text = search.trim().toLowerCase();
  const shown = tools.filter(({ name, title }) =>
    `${name} ${title ?? ''}`.toLowerCase().includes(text),
  );
  if (tools.length === 0) {
    return <p className="text-ink-soft">The gateway lists no tool of this server for you.</p>;
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <TextInput
        type="search"
        aria-label="Search tools"
        placeholder="Search tools"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul aria-label="Tools" className="flex max-h-80 flex-col overflow-y-auto lg:max-h-none">
        {shown.length === 0 && (
          <li className="p-2 text-sm text-ink-faint">No tool with this name.</li>
        )}
        {shown.map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              aria-pressed={tool.name === chosen}
              onClick={() => onChoose(tool)}
              className={clsx(
                'w-full rounded-sm px-2 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2',
                tool.name === chosen && 'bg-accent-soft',
              )}
            >
              <span className="block truncate font-mono text-sm">{tool.name}</span>
              {tool.title !== null && (
                <span className="block truncate text-sm text-ink-faint">{tool.title}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {truncated && (
        <p className="text-sm text-ink-faint">The server has more tools than are listed here.</p>
      )}
    </div>
  );
}
