'use client';

import { Tabs } from '../../design/tabs';

export const PLAYGROUND_TABS = [
  { value: 'chat', label: 'Chat' },
  { value: 'mcp', label: 'MCP tools' },
] as const;

export function PlaygroundTabs() {
  return <Tabs label="Parts of the playground" tabs={PLAYGROUND_TABS} />;
}
